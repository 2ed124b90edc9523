/** Where the database of the service is, for the commands that open it. */
import { besideService } from '../service/service-env.ts';

/** The address by role. Throws where no service was ever started and none is named. */
export function databaseOf(env: NodeJS.ProcessEnv, role: 'owner' | 'app'): URL {
  const name = role === 'owner' ? 'DATABASE_OWNER_URL' : 'DATABASE_URL';
  const address = serviceEnvironment(env)[name];
  if (!address) throw new Error(`${name} is not set: set it to the address of PostgreSQL as that role.`);
  return new URL(address);
}

/** The environment with the addresses of the service. Throws where no service was ever started and none is named. */
export function serviceEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const found = besideService(env);
  if (found['DATABASE_URL'] || found['DATABASE_OWNER_URL']) return found;
  throw new Error(
    'No service was started here yet: run `npm start` first, or set DATABASE_URL and DATABASE_OWNER_URL.',
  );
}
