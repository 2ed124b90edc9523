/** Metrics show where the bank's work stands: what waits, for how long, and what does not go on. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { createOrderTaker } from '../../db/ledger/transfers.ts';
import { SET_ASIDE_AFTER } from '../../db/queries/platform/refused-starts.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { openMover } from '../support/bank/movements.ts';
import { claimOf } from '../support/bank/orders.ts';
import { transferType } from '../support/bank/transfers.ts';
import { sampleIn } from '../support/metrics.ts';
import { ownBank, type Database } from '../support/stack/database.ts';
import { serve } from '../support/stack/frame-world.ts';
import { until } from '../support/stack/processes.ts';
import { rows } from '../support/stack/sql.ts';

let database: Database;
let books: Books;
beforeAll(async () => {
  database = await ownBank();
  books = openBooks(database);
});
afterAll(() => books.close());

/**
 * The metrics of a process that has just begun: figures are kept for ten seconds. Where reading them takes too long they are left out, and
 * the next process is asked.
 */
async function metrics(): Promise<(sample: string) => number | undefined> {
  let page = '';
  await until(async () => {
    const world = await serve([], { DATABASE_URL: database.url });
    page = await (await fetch(`${world.base}/metrics`)).text();
    await world.close();
    return sampleIn(page, 'teller_lock_waits') !== undefined;
  });
  return (sample) => sampleIn(page, sample);
}

test('the outbox is counted by what waits, what was refused and what is set aside', async () => {
  await books.asOwner(
    `insert into process_outbox (workflow_id, process, input, created_at)
       select 'standing/' || n, 'message', '{}', now() - make_interval(secs => 90 * n) from generate_series(1, 4) n`,
  );
  await books.asOwner(
    `insert into refused_starts (workflow_id, process, failure, attempts, due_at)
       values ('standing/3', 'message', 'refused', 1, now()), ('standing/4', 'message', 'refused', $1, now())`,
    [SET_ASIDE_AFTER],
  );
  await books.asOwner(
    `insert into process_updates (workflow_id, update_id, name, input, attempts, created_at)
       values ('standing/1', 'a', 'decide', '{}', 2, now() - interval '40 seconds'), ('standing/1', 'b', 'decide', '{}', 10, now())`,
  );
  const shown = await metrics();
  const starts = ['waiting', 'refused', 'set_aside'].map((state) =>
    shown(`teller_outbox{kind="start",state="${state}"}`),
  );
  expect(starts).toEqual([2, 1, 1]);
  // the older ones are refused: they would hide that nothing else waits
  expect(shown('teller_outbox_oldest_seconds{kind="start"}')).toBeGreaterThanOrEqual(180);
  expect(shown('teller_outbox_oldest_seconds{kind="start"}')).toBeLessThan(260);
  expect(shown('teller_outbox{kind="update",state="waiting"}')).toBe(1);
  expect(shown('teller_outbox{kind="update",state="set_aside"}')).toBe(1);
  expect(shown('teller_outbox_oldest_seconds{kind="update"}')).toBeGreaterThanOrEqual(40);
});

test('a transfer that waits for people is counted with its age', async () => {
  const mover = await openMover(books);
  const order = mover.order(1n, { type: await transferType(books, { approvalAbove: 0 }) });
  await createOrderTaker(books.em, false).submit(claimOf(order));
  const shown = await metrics();
  expect(shown('teller_waiting{process="transfer",status="pending_approval"}')).toBe(1);
  const age = shown('teller_waiting_oldest_seconds{process="transfer",status="pending_approval"}');
  expect(age).toBeGreaterThanOrEqual(0);
  expect(age).toBeLessThan(60);
});

test('what time should have moved on is counted as overdue, and not before', async () => {
  expect((await metrics())('teller_overdue{process="message"}')).toBe(0);
  await books.asOwner(
    `insert into messages (id, channel, template, locale, sealed_content, created_at)
       values (uuidv7(), 'email', 'address_taken', 'en', '\\x00', now() - interval '1 hour')`,
  );
  const shown = await metrics();
  expect(shown('teller_overdue{process="message"}')).toBe(1);
  expect(shown('teller_waiting_oldest_seconds{process="message",status="queued"}')).toBeGreaterThan(3_500);
});

test('a session that waits for a lock is counted, with the time that it has waited', async () => {
  expect((await metrics())('teller_lock_waits')).toBe(0);
  const owner = await books.user();
  const account = await books.account(owner);
  const holder = new pg.Client(database.ownerUrl);
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from accounts where id = $1 for update', [account]);
  const waiting = rows(books.em(), `update accounts set nickname = 'mine' where id = $1`, [account]);
  await until(async () => {
    // a role sees what its own sessions wait for
    const found = await rows(
      books.em(),
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
    return found.length > 0;
  });
  const shown = await metrics();
  expect(shown('teller_lock_waits')).toBe(1);
  expect(shown('teller_lock_wait_longest_seconds')).toBeGreaterThan(0);
  await holder.query('rollback');
  await holder.end();
  await waiting;
});
