/** What is over is cleared away; what may still be asked for stays. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { sweep } from '../../db/sweeps.ts';
import { openBooks, type Books } from '../support/books.ts';

let books: Books;
beforeAll(() => {
  books = openBooks();
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
