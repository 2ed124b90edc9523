/** Listens to PostgreSQL's NOTIFY on a connection of its own, and comes back by itself after a loss. */
import pg from 'pg';
import type { Logger } from 'pino';

const RECONNECT_MILLISECONDS = 1_000;

export interface Notices {
  /** False while notices may be lost: then nothing that depends on them may be kept in memory. */
  listening(): boolean;
  close(): Promise<void>;
}

/** Calls `heard` with the payload of each notice of the channel, and `lost` when some may have been missed. */
export function listen(deps: {
  databaseUrl: string;
  channel: string;
  log: Logger;
  heard: (payload: string) => void;
  lost: () => void;
}): Notices {
  const { databaseUrl, channel, log, heard, lost } = deps;
  let client: pg.Client | undefined;
  let live = false;
  let closed = false;
  let retry: NodeJS.Timeout | undefined;

  function again(error: unknown): void {
    live = false;
    lost();
    const failed = client;
    client = undefined;
    if (failed !== undefined) void failed.end().catch(() => undefined);
    if (closed) return;
    log.warn({ err: error, channel }, 'notices of the database are not heard; listening again');
    clearTimeout(retry);
    retry = setTimeout(connect, RECONNECT_MILLISECONDS).unref();
  }

  function connect(): void {
    const fresh = new pg.Client({
      connectionString: databaseUrl,
      keepAlive: true,
      connectionTimeoutMillis: 2_000,
    });
    client = fresh;
    fresh.on('notification', (notice) => {
      if (notice.payload !== undefined) heard(notice.payload);
    });
    // an end follows an error; only the present client's matters
    fresh.on('error', (error) => client === fresh && again(error));
    fresh.on('end', () => client === fresh && again(new Error('the connection was closed')));
    fresh
      .connect()
      .then(() => fresh.query(`listen ${pg.escapeIdentifier(channel)}`))
      .then(() => {
        lost();
        live = true;
      })
      .catch((error: unknown) => {
        if (client === fresh) again(error);
      });
  }

  connect();
  return {
    listening: () => live,
    close: async () => {
      closed = true;
      live = false;
      clearTimeout(retry);
      const open = client;
      client = undefined;
      await open?.end().catch(() => undefined);
    },
  };
}
