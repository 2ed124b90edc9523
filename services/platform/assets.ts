/** Keeps in memory what the books can hold: read at the start, and again when the table tells of new rows. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import { allAssets } from '../../db/queries/ledger/assets.ts';
import { listen } from '../../db/queries/notifications/notices.ts';
import { learnAssets } from '../../domain/assets.ts';

/** A trigger of the table tells here (db/functions/assets.sql). */
const CHANNEL = 'teller_assets';
/** After a reading that failed. */
const RETRY_MILLISECONDS = 1_000;
/** A notice may be lost with a connection that nobody knows to be dead: no process misses an asset for longer. */
const ANYWAY_MILLISECONDS = 30_000;

export interface AssetsInMemory {
  close(): Promise<void>;
}

/** Reads the table of assets. */
export async function readAssets(db: EntityManager): Promise<void> {
  learnAssets(await allAssets.all(db));
}

/**
 * Returns once the assets are known, or the database does not answer; then they are read as soon as it does. A reading that fails is
 * tried again until one succeeds, and the table is read from time to time whether a notice has come or not.
 */
export async function keepAssets(deps: {
  readonly config: Pick<Config, 'DATABASE_URL'>;
  readonly em: () => EntityManager;
  readonly log: Logger;
  /** Milliseconds between readings that nobody has asked for. */
  readonly anyway?: number;
}): Promise<AssetsInMemory> {
  const { config, em, log, anyway = ANYWAY_MILLISECONDS } = deps;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;
  const read = async (): Promise<void> => {
    try {
      await readAssets(em());
    } catch (err) {
      if (closed) return;
      log.warn({ err }, 'the assets could not be read; they are read again');
      clearTimeout(retry);
      retry = setTimeout(again, RETRY_MILLISECONDS).unref();
    }
  };
  // rows may have come while nobody listened
  const again = (): void => void read();
  const notices = listen({
    databaseUrl: config.DATABASE_URL,
    channel: CHANNEL,
    log,
    heard: again,
    lost: again,
  });
  const rounds = setInterval(again, anyway).unref();
  await read();
  return {
    async close() {
      closed = true;
      clearInterval(rounds);
      clearTimeout(retry);
      await notices.close();
    },
  };
}
