/** Feeds: a thousand streams on one process, and the first page and the counts of a feed of a hundred thousand. Figures, without a floor. */
import { randomUUID } from 'node:crypto';
import { Agent, get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { createCipher } from '../adapters/cipher.ts';
import { loadConfig } from '../config.ts';
import { pageOfFeed } from '../db/queries/notifications/feed.ts';
import { openOrm } from '../db/orm.ts';
import { EventId, SessionId, UserId } from '../domain/ids.ts';
import { createIdentity } from '../services/identity/identity.ts';
import { tell } from '../services/notifications/events.ts';
import type { Stage } from './stage/stage.ts';

const PEOPLE = 200;
/** Of each person. */
const STREAMS = 5;
const MANY = 100_000;
const LOOKS = 500;
const MOST_MILLISECONDS = 60_000;

export async function benchStreams(stage: Stage): Promise<void> {
  const world = await openWorld(stage);
  try {
    await followAll(stage, world);
    await readLongFeed(world);
  } finally {
    await world.close();
  }
}

type World = Awaited<ReturnType<typeof openWorld>>;

async function openWorld(stage: Stage) {
  const config = loadConfig(stage.env);
  const orm = openOrm(config);
  const em = () => orm.em.fork();
  const log = pino({ level: 'silent' });
  const cipher = createCipher(config.ENCRYPTION_KEYS);
  const identity = createIdentity({ config, cipher, em, log });
  const owner = new pg.Client(stage.ownerUrl);
  await owner.connect();
  return {
    ...{ em, cipher, owner },
    async person(): Promise<{ readonly id: UserId; readonly token: string }> {
      const [userId, sessionId] = [UserId.parse(randomUUID()), SessionId.parse(randomUUID())];
      await owner.query(
        `insert into users (id, email, first_name, last_name, status, password_hash) values ($1, $2, 'Bench', 'Mark', 'active', '$argon2id$none')`,
        [userId, `${userId}@bench.test`],
      );
      await owner.query(
        `insert into sessions (id, user_id, amr, device_label, address, expires_at)
         values ($1, $2, '{pwd}', 'bench', '127.0.0.1', now() + interval '1 day')`,
        [sessionId, userId],
      );
      const claims = { userId, sessionId, amr: ['pwd'], authenticatedAt: new Date() };
      return { id: userId, token: (await identity.tokens.issueAccess(claims)).token };
    },
    close: async () => {
      await owner.end();
      await identity.close();
      await orm.close(true);
    },
  };
}

/** Opens all streams on the one API of the stage, tells each person once, and measures how long it takes from then to each of their streams. */
async function followAll({ api }: Stage, { em, cipher, person }: World): Promise<void> {
  const people = [];
  for (let each = 0; each < PEOPLE; each++) people.push(await person());
  const agent = new Agent({ maxSockets: Infinity });
  const arrivals: number[] = [];
  const toldAt = new Map<UserId, number>();
  let open = 0;
  const began = performance.now();
  const closers = people.flatMap(({ id, token }) =>
    Array.from({ length: STREAMS }, () => {
      const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
      const request = get(`${api}/v1/notifications/stream`, { agent, headers }, (response) => {
        response.on('data', (chunk: Buffer) => {
          const text = chunk.toString();
          if (text.includes('event: counts') && text.includes('"unread_count":0')) open += 1;
          if (text.includes('event: notification'))
            arrivals.push(performance.now() - (toldAt.get(id) ?? NaN));
        });
        response.on('error', () => undefined);
      });
      request.on('error', () => undefined);
      return () => request.destroy();
    }),
  );
  const all = PEOPLE * STREAMS;
  await until(
    () => open === all,
    () => `${String(open)} of ${String(all)} streams are open`,
  );
  const opened = performance.now() - began;
  for (const { id } of people) {
    toldAt.set(id, performance.now());
    await em().transactional((db) =>
      tell(db, cipher, {
        eventId: EventId.parse(randomUUID()),
        userId: id,
        type: 'account_request',
        locale: 'en',
        channels: [],
        values: { type: 'Current account' },
      }),
    );
  }
  await until(
    () => arrivals.length === all,
    () => `${String(arrivals.length)} of ${String(all)} have come`,
  );
  for (const close of closers) close();
  agent.destroy();
  process.stdout.write(
    `streams: ${String(all)} on one process, open in ${(opened / 1_000).toFixed(1)} s; each of ${String(PEOPLE)} notifications reaches ` +
      `all streams of its person in p50 ${quantile(arrivals, 0.5)} p99 ${quantile(arrivals, 0.99)} ms after its transaction was begun\n`,
  );
}

/** One person with a very long feed. */
async function readLongFeed({ owner, person, em }: World): Promise<void> {
  const { id: userId } = await person();
  await owner.query(
    `with happened as (insert into events (type, user_id, created_at) select 'ticket_reply', $1, now() from generate_series(1, $2::int) returning id)
     insert into notifications (event_id, user_id, type_code, locale, created_at) select id, $1, 'ticket_reply', 'en', now() from happened`,
    [userId, MANY],
  );
  await owner.query(`update notifications set title = 'A', body = 'B', shown_at = now() where user_id = $1`, [
    userId,
  ]);
  await owner.query('vacuum analyze notifications');
  const took = { page: [] as number[], count: [] as number[] };
  const db = em();
  for (let look = 0; look < LOOKS + 50; look++)
    for (const [kind, most] of [
      ['page', 51],
      ['count', 0],
    ] as const) {
      const begun = performance.now();
      await pageOfFeed.all(db, { userId, before: null, most });
      if (look >= 50) took[kind].push(performance.now() - begun);
    }
  const figures = ({ page, count }: typeof took): string =>
    `first page p50 ${quantile(page, 0.5)} p99 ${quantile(page, 0.99)} ms, counts p50 ${quantile(count, 0.5)} p99 ${quantile(count, 0.99)} ms`;
  process.stdout.write(`feed of ${String(MANY)}: ${figures(took)} (statement, with its round trip)\n`);
}

async function until(holds: () => boolean, says: () => string): Promise<void> {
  const end = performance.now() + MOST_MILLISECONDS;
  while (!holds()) {
    if (performance.now() > end) throw new Error(says());
    await wait(20);
  }
}

function quantile(values: readonly number[], part: number): string {
  const sorted = [...values].sort((one, other) => one - other);
  return (sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN).toFixed(2);
}
