/** The clock of the bank: every process follows it, and in development it can be moved forward. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import { ConfigError } from '../../config.ts';
import { listen } from '../../db/queries/notifications/notices.ts';
import { clockAhead } from '../../db/queries/platform/clock.ts';
import { setClockAhead } from '../../domain/time/now.ts';

const CHANNEL = 'teller_clock';
/** A notice may be lost: no process of a bank in development is behind its clock for longer. */
const READ_AGAIN_MILLISECONDS = 500;

/**
 * Makes `now()` of this process follow the clock of the database, also when that is moved. Outside development a clock that was moved
 * keeps the process from starting: its entries would be dated in the future.
 */
export async function followClock(deps: {
  readonly config: Config;
  readonly em: () => EntityManager;
  readonly log: Logger;
}): Promise<{ close(): Promise<void> }> {
  const { config, em, log } = deps;
  const read = async (): Promise<number> => (await clockAhead.one(em())).seconds;
  if (config.NODE_ENV !== 'development') {
    // a database that is away now has been migrated, and a clock that was moved cannot be
    const seconds = await read().catch(() => 0);
    if (seconds > 0)
      throw new ConfigError(
        `The clock of this database was moved forward by ${String(seconds)} s, which development alone may do: take another database, or start with NODE_ENV=development.`,
      );
    return { close: () => Promise.resolve() };
  }
  let failing = false;
  const follow = async (): Promise<void> => {
    try {
      setClockAhead(await read());
      failing = false;
    } catch (err) {
      // once for each time that it begins
      if (!failing) log.warn({ err }, 'the clock of the bank could not be read; it is tried again');
      failing = true;
    }
  };
  const notices = listen({
    databaseUrl: config.DATABASE_URL,
    channel: CHANNEL,
    log,
    heard: (seconds) => {
      setClockAhead(Number(seconds));
    },
    lost: () => void follow(),
  });
  const again = setInterval(() => void follow(), READ_AGAIN_MILLISECONDS).unref();
  await follow();
  return {
    async close() {
      clearInterval(again);
      await notices.close();
    },
  };
}
