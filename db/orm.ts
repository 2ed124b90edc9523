/** The one place that opens a pool. */
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import type { Config } from '../config.ts';
import { entities } from './schema/entities.ts';

/**
 * Opens the database as the application role. Connects lazily: a process starts while PostgreSQL is away. A caller that gets no connection
 * of the pool within `connectWithin` milliseconds is refused.
 */
export function openOrm(
  config: Pick<Config, 'DATABASE_URL' | 'DATABASE_POOL_MAX'>,
  connectWithin = 2_000,
): MikroORM {
  return new MikroORM({
    clientUrl: config.DATABASE_URL,
    entities: [...entities],
    pool: { min: 0, max: config.DATABASE_POOL_MAX, idleTimeoutMillis: 30_000 },
    forceUtcTimezone: true,
    // every use forks: a shared identity map would leak one caller's rows into another's answer
    allowGlobalContext: false,
    driverOptions: {
      types: timestampsAsDates(),
      // a statement is parsed once but planned for its values each time: one plan for all customers fits none of the large ones
      options: '-c timezone=UTC -c plan_cache_mode=force_custom_plan',
      connectionTimeoutMillis: connectWithin,
      statement_timeout: 15_000,
      idle_in_transaction_session_timeout: 15_000,
    },
  });
}

/** MikroORM asks for timestamps as text and reads a Date as well; plain SQL is better served with one. Days stay text. */
function timestampsAsDates(): pg.TypeOverrides {
  const types = new pg.TypeOverrides();
  for (const day of [pg.types.builtins.DATE, pg.types.builtins.TIMESTAMP, pg.types.builtins.INTERVAL]) {
    types.setTypeParser(day, (text: string) => text);
  }
  types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text: string) => new Date(text));
  return types;
}
