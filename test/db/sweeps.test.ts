/** What is over is cleared away; what may still be asked for stays. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { sweep } from '../../db/queries/platform/sweeps.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { ownBank, type Database } from '../support/stack/database.ts';
import { until } from '../support/stack/processes.ts';

let database: Database;
let books: Books;
beforeAll(async () => {
  database = await ownBank();
  books = openBooks(database);
});
afterAll(() => books.close());

test('a key is forgotten after its day, one that moved money never', async () => {
  const [old, kept] = [randomUUID(), randomUUID()];
  for (const [key, expiry] of [
    [old, "now() - interval '1 second'"],
    [kept, 'null'],
  ] as const) {
    await books.asOwner(
      `insert into idempotency_keys (caller, operation, key, resource_id, request_hmac, expires_at) values ('test', 'sweep', $1, gen_random_uuid(), '\\x00', ${expiry})`,
      [key],
    );
  }
  await sweep(books.em());
  const left = await books.asOwner(`select key from idempotency_keys where key = any($1)`, [[old, kept]]);
  expect(left).toEqual([{ key: kept }]);
});

test('the use of a step-up token is remembered for longer than the token lives', async () => {
  const [fresh, old] = [randomUUID(), randomUUID()];
  await books.asOwner(
    `insert into step_up_uses (step_up_id, resource_id, used_at) values ($1, gen_random_uuid(), now() - interval '10 minutes'), ($2, gen_random_uuid(), now() - interval '2 days')`,
    [fresh, old],
  );
  await sweep(books.em());
  expect(
    await books.asOwner('select step_up_id from step_up_uses where step_up_id = any($1)', [[fresh, old]]),
  ).toEqual([{ step_up_id: fresh }]);
});

test('what is renewed while a sweep waits for it stays', async () => {
  const key = `sweep-${randomUUID()}`;
  await books.asOwner('insert into throttles (key, points, expire) values ($1, 1, 1)', [key]);
  const renewing = new pg.Client(database.ownerUrl);
  await renewing.connect();
  const { rows } = await renewing.query<{ pid: number }>('select pg_backend_pid() as pid');
  await renewing.query('begin');
  await renewing.query(`update throttles set expire = 99999999999999 where key = $1`, [key]);
  const swept = sweep(books.em());
  await until(async () => {
    const waiting = await books.asOwner(
      'select from pg_stat_activity where $1::int = any (pg_blocking_pids(pid))',
      [rows[0]?.pid],
    );
    return waiting.length > 0;
  });
  await renewing.query('commit');
  await renewing.end();
  await swept;
  expect(await books.asOwner('select key from throttles where key = $1', [key])).toEqual([{ key }]);
});
