/** The nightly proof of the books tells operators what it has found: by an alert, and by a metric for each check. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { ledgerCheckActivities } from '../../../activities/ledger-check.ts';
import { TransferId } from '../../../domain/ids.ts';
import { by, decideInBooks, reviewer } from '../../support/bank/decisions.ts';
import { openOrders } from '../../support/bank/orders.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { putClockAhead } from '../../support/bank/clock.ts';
import { sampleIn } from '../../support/metrics.ts';
import { ownBank, type Database } from '../../support/stack/database.ts';
import { serve } from '../../support/stack/frame-world.ts';

const FUTURE = 'no entry is in the future';

let books: Books;
let database: Database;
beforeAll(async () => {
  database = await ownBank();
  books = openBooks(database);
});
afterAll(() => books.close());

async function check() {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const { checkLedger } = ledgerCheckActivities({ em: books.em, log });
  const found: unknown = await new MockActivityEnvironment().run(checkLedger);
  return { found, alerts: lines.filter((line) => line.includes('"alert":"ledger_broken"')) };
}

/** What another process shows, which has not made the check. */
async function metrics(): Promise<(check: string) => number | undefined> {
  const world = await serve([], { DATABASE_URL: database.url });
  const page = await (await fetch(`${world.base}/metrics`)).text();
  await world.close();
  expect(sampleIn(page, 'teller_ledger_check_age_seconds')).toBeLessThan(60);
  expect(sampleIn(page, 'teller_ledger_check_took_seconds')).toBeLessThan(60);
  return (name) => sampleIn(page, `teller_ledger_broken{check="${name}"}`);
}

/** Pays into a new account as two administrators do. */
async function adjust(minor: bigint): Promise<void> {
  const [customer, maker, checker] = [await books.user(), await books.user(), await reviewer(books)];
  const id = TransferId.parse(randomUUID());
  const given = await openOrders(books).submit({
    ...{ id, kind: 'adjustment', requestedBy: maker, customerId: customer, asset: 'EUR' },
    ...{ destination: await books.account(customer), amount: minor.toString(), description: '' },
    ...{ reason: 'opening balance', approvalSeconds: 3_600 },
  });
  expect(given).toMatchObject({ status: 'pending_approval' });
  expect(await decideInBooks(books, id, by(checker, 'execute'))).toMatchObject({ status: 'executed' });
}

test('an entry in the future is an alert and a number in the metrics until its time has come', async () => {
  await adjust(100n);
  const sound = await check();
  expect(sound.found).toEqual({ sound: true, broken: [] });
  expect(sound.alerts).toEqual([]);
  expect((await metrics())(FUTURE)).toBe(0);

  await putClockAhead(books, -3_600);
  const unsound = await check();
  expect(unsound.found).toEqual({ sound: false, broken: [FUTURE] });
  expect(unsound.alerts).toHaveLength(1);
  await putClockAhead(books, 0);
  const shown = await metrics();
  expect(shown(FUTURE)).toBeGreaterThanOrEqual(2);
  expect(shown('every transaction sums to zero')).toBe(0);
});
