/** Brings the database to the newest schema, as its owner. `npm run migrate`. */
import { MikroORM } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '../config.ts';
import { migrations } from './migrations.ts';

/** Runs what has not run yet and answers the names. Two migrators at once wait for each other (advisory lock). */
export async function migrate(ownerUrl: string): Promise<string[]> {
  const orm = new MikroORM({
    clientUrl: ownerUrl,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: {
      migrationsList: [...migrations],
      snapshot: false,
      allOrNothing: false,
      tableName: 'schema_migrations',
      silent: true,
    },
    // one connection, so that the lock is held by the session that migrates
    pool: { min: 1, max: 1 },
  });
  try {
    const lock = await orm.em
      .getConnection()
      .execute<{ locked: string }[]>('select pg_advisory_lock(7355608)::text as locked');
    if (lock.length !== 1) throw new Error('the migration lock was not granted');
    const done = await orm.migrator.up();
    return done.map((migration) => migration.name);
  } finally {
    await orm.close(true);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const url = process.env['DATABASE_OWNER_URL'];
  if (url === undefined)
    throw new ConfigError('DATABASE_OWNER_URL: set the address of PostgreSQL as the owner of the tables');
  const done = await migrate(url);
  process.stdout.write(done.length === 0 ? 'The schema is up to date.\n' : `Migrated: ${done.join(', ')}\n`);
}
