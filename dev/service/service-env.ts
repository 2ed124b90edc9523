/** Where the parts of the running service are, kept in its data folder for the commands of operators. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { ROOT } from './process.ts';

const FILE = 'service-env.json';

/** Readable by the owner only: the addresses hold passwords. */
export function writeServiceEnv(dataDir: string, env: Readonly<Record<string, string>>): void {
  writeFileSync(join(dataDir, FILE), JSON.stringify(env), { mode: 0o600 });
}

/** The environment of the service of this data folder; empty where none was started. */
export function readServiceEnv(dataDir: string): Record<string, string> {
  const file = join(dataDir, FILE);
  if (!existsSync(file)) return {};
  return z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(file, 'utf8')));
}

/** Completes the environment of a command: unless it names a database, with the addresses of the service of its DATA_DIR. */
export function besideService(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (env['DATABASE_URL'] !== undefined || env['DATABASE_OWNER_URL'] !== undefined) return env;
  return { ...env, ...readServiceEnv(resolve(ROOT, env['DATA_DIR'] ?? '.data')) };
}
