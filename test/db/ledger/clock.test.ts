/** No entry is ahead of the clock: while a clock is wrong nothing is posted, and no account carries a wrong time to another. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { carryOut, createOrderTaker } from '../../../db/ledger/transfers.ts';
import { post } from '../../support/bank/posting.ts';
import { trialBalance } from '../../../db/ledger/trial-balance.ts';
import { decideDispute, settleDispute, withdrawDispute } from '../../../db/queries/cards/disputes.ts';
import { clearNext, settleNext } from '../../../db/queries/cards/files.ts';
import { clockDifference } from '../../../db/queries/platform/clock.ts';
import {
  chargeCardFees,
  chargeFeeMonth,
  chargeRefusedFees,
} from '../../../db/queries/pricing/account-fees.ts';
import { declaredStatements } from '../../../db/rows/declared.ts';
import { BOOKED_AHEAD, CLOCKS_APART, sqlStateOf } from '../../../db/sql-state.ts';
import { type AccountId, CardDisputeId, CardId } from '../../../domain/ids.ts';
import { dayAt } from '../../../domain/statements.ts';
import { machineNow, now } from '../../../domain/time/now.ts';
import { accepted, by, reviewer } from '../../support/bank/decisions.ts';
import { openBooks, payment, type Books } from '../../support/bank/books.ts';
import { putClockAhead } from '../../support/bank/clock.ts';
import { openMover } from '../../support/bank/movements.ts';
import { claimOf } from '../../support/bank/orders.ts';
import { ownBank, type Database } from '../../support/stack/database.ts';
import { transferType } from '../../support/bank/transfers.ts';

const ROOT = join(import.meta.dirname, '../../..');
const MONTH = 30 * 24 * 3_600;

let books: Books;
let database: Database;
beforeAll(async () => {
  database = await ownBank();
  books = openBooks(database);
});
afterEach(() => putClockAhead(books, 0));
afterAll(() => books.close());

async function accounts(...funds: bigint[]): Promise<AccountId[]> {
  const owner = await books.user();
  return Promise.all(
    funds.map(async (minor) => {
      const id = await books.account(owner);
      if (minor > 0n) await books.fund(id, minor);
      return id;
    }),
  );
}

/** The state of the failure; undefined if there was none. */
async function stateOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return sqlStateOf(error) ?? 'another failure';
  }
}

const pay = (from: AccountId, to: AccountId) => post(books.ownerEm(), [payment(from, to, 1n)]);
/** As one posting leaves an account that is made while the clock is wrong. */
const bookedAhead = (account: AccountId, ahead: string) =>
  books.asOwner('update accounts set last_entry_at = bank_now() + $2::interval where id = $1', [
    account,
    ahead,
  ]);
const broken = async (name: string) =>
  (await trialBalance(books.em())).checks.find(({ check }) => check === name)?.broken;
const written = () =>
  books.asOwner(
    `select (select count(*) from ledger_entries) as entries, (select count(*) from transfers) as transfers,
            (select count(*) from idempotency_keys) as keys, (select count(*) from account_fees) as fees`,
  );

test('an account that was booked in the future infects no other: it is refused, and the others go on', async () => {
  const [ahead, next, last] = (await accounts(100n, 100n, 0n)) as [AccountId, AccountId, AccountId];
  await bookedAhead(ahead, '30 days');
  expect(await stateOf(pay(ahead, next))).toBe(BOOKED_AHEAD);
  expect(await stateOf(pay(next, ahead))).toBe(BOOKED_AHEAD);
  expect(await pay(next, last)).toEqual(['posted']);
  const [found] = await books.asOwner(
    'select max(booked_at) <= bank_now() as past from ledger_entries where account_id = any ($1)',
    [[next, last]],
  );
  expect(found).toEqual({ past: true });
  expect(await broken('no entry is in the future')).toBe(0);
});

test('an account that was booked in the future fails its own orders and none of the others in their batch', async () => {
  const [payer, ahead] = [await openMover(books), await openMover(books)];
  await bookedAhead(ahead.from, '1 minute');
  const claims = Array.from({ length: 32 }, (_, place) => claimOf((place === 7 ? ahead : payer).order(1n)));
  const taker = createOrderTaker(books.em, false);
  const outcomes = await Promise.allSettled(claims.map((claim) => taker.submit(claim)));
  expect(outcomes.flatMap(({ status }, place) => (status === 'rejected' ? [place] : []))).toEqual([7]);
  expect((await books.balance(payer.to)).posted).toBe(31n);
  const keys = await books.asOwner('select from idempotency_keys where key = $1', [claims[7]?.key?.key]);
  expect(keys).toEqual([]);
});

test('a small step back of the clock is waited for, and entries stay in their order', async () => {
  const [from, to] = (await accounts(100n, 0n)) as [AccountId, AccountId];
  await bookedAhead(from, '300 milliseconds');
  const [before] = await books.asOwner('select last_entry_at from accounts where id = $1', [from]);
  expect(await pay(from, to)).toEqual(['posted']);
  const [entry] = await books.asOwner(
    `select booked_at >= $2 as "inOrder", booked_at <= bank_now() as past
       from ledger_entries where account_id = $1 order by seq desc limit 1`,
    [from, before?.['last_entry_at']],
  );
  expect(entry).toEqual({ inOrder: true, past: true });
});

test('the proof of the books counts entries in the future', async () => {
  const [from, to] = (await accounts(100n, 0n)) as [AccountId, AccountId];
  await pay(from, to);
  expect(await broken('no entry is in the future')).toBe(0);
  await putClockAhead(books, -3_600);
  expect(await broken('no entry is in the future')).toBeGreaterThanOrEqual(2);
});

describe.each([
  ['forward', MONTH],
  ['back', -3_600],
])('while the clock of the database has jumped %s', (_, seconds) => {
  test('nothing posts and nothing is written; the same orders and decisions go through once it is right', async () => {
    const mover = await openMover(books);
    const waiting = claimOf(mover.order(5n, { type: await transferType(books, { approvalAbove: 0 }) }));
    const taker = createOrderTaker(books.em, false);
    await taker.submit(waiting);
    const claims = [claimOf(mover.order(1n)), claimOf(mover.order(2n))];
    const wish = by(await reviewer(books), 'execute');
    const { accepted: decision } = await accepted(books, waiting.order.id, wish);
    if (decision === null) throw new Error('the decision was refused');
    const month = `${dayAt(now(), 'Europe/Berlin').slice(0, 'YYYY-MM'.length)}-01`;
    const [unknown, office] = [CardDisputeId.parse(randomUUID()), await books.admin(['cards:write'])];
    const decided = {
      by: office,
      wanted: 'accept',
      reason: 'Looked at',
      aloneUpTo: 1n,
      networkDays: 1,
    } as const;
    const everything = [
      ...claims.map((claim) => () => taker.submit(claim)),
      () => carryOut(books.em(), waiting.order.id, { source: 'decision', id: decision }),
      () => pay(mover.from, mover.to),
      () => chargeFeeMonth.one(books.em(), { month, after: null, most: 10, clock: machineNow() }),
      () => chargeRefusedFees.one(books.em(), { after: null, most: 10, clock: machineNow() }),
      () => chargeCardFees.one(books.em(), { card: CardId.parse(randomUUID()), clock: machineNow() }),
      () => clearNext.one(books.em(), { most: 1, clock: machineNow() }),
      () => settleNext.one(books.em(), { clock: machineNow() }),
      () => settleDispute.one(books.em(), { id: unknown, outcome: 'won', clock: machineNow() }),
      () => withdrawDispute.one(books.em(), { id: unknown, owner: office, clock: machineNow() }),
      () => decideDispute.one(books.em(), { ...decided, id: unknown, clock: machineNow() }),
    ];

    await putClockAhead(books, seconds);
    const before = await written();
    for (const work of everything) expect(await stateOf(work())).toBe(CLOCKS_APART);
    expect(await written()).toEqual(before);

    await putClockAhead(books, 0);
    for (const work of everything) expect(await stateOf(work())).toBeUndefined();
    expect((await books.balance(mover.to)).posted).toBe(9n);
  });
});

test('clocks that are apart by less than the tolerance are as good as equal, and the bank sets the tolerance', async () => {
  const [from, to] = (await accounts(100n, 0n)) as [AccountId, AccountId];
  await putClockAhead(books, 5);
  expect(Math.abs((await clockDifference(books.em())) - 5)).toBeLessThan(2);
  expect(await pay(from, to)).toEqual(['posted']);
  await books.asOwner('update bank_settings set clock_tolerance_seconds = 2');
  try {
    expect(await stateOf(pay(from, to))).toBe(CLOCKS_APART);
  } finally {
    await books.asOwner('update bank_settings set clock_tolerance_seconds = 10');
  }
});

/** Locks an account; `blocked` ends when it is free again. */
async function lockFor(milliseconds: number, account: AccountId): Promise<{ blocked: Promise<unknown> }> {
  const client = new pg.Client(database.ownerUrl);
  await client.connect();
  await client.query('begin');
  await client.query('select from accounts where id = $1 for update', [account]);
  return { blocked: wait(milliseconds).then(() => client.end()) };
}

test('an order that has waited for a lock is not taken for a jump of the clock', async () => {
  const [from, to] = (await accounts(100n, 0n)) as [AccountId, AccountId];
  await books.asOwner('update bank_settings set clock_tolerance_seconds = 3');
  try {
    const { blocked } = await lockFor(4_500, from);
    expect(await pay(from, to)).toEqual(['posted']);
    await blocked;
  } finally {
    await books.asOwner('update bank_settings set clock_tolerance_seconds = 10');
  }
});

test('every statement that posts compares the clocks', async () => {
  for (const file of globSync('db/{ledger,queries}/**/*.ts', { cwd: ROOT })) await import(join(ROOT, file));
  const functions = await books.asOwner(
    `select proname as name, prosrc as text from pg_proc where pronamespace = 'public'::regnamespace and prolang <> 13`,
  );
  const calls = (text: string, names: ReadonlySet<string>) =>
    [...names].some((name) => new RegExp(`\\b${name}\\(`).test(text));
  const posting = new Set(['ledger_post']);
  for (let before = 0; before < posting.size;) {
    before = posting.size;
    for (const { name, text } of functions) if (calls(String(text), posting)) posting.add(String(name));
  }
  const statements = declaredStatements().filter(({ sql }) => calls(sql, posting));
  expect(statements.map(({ name }) => name).toSorted()).toEqual([
    ...[
      'advanceDeposit',
      'carryOutStep',
      'chargeCardFees',
      'chargeFeeMonth',
      'chargeRefusedFees',
      'clearNext',
    ],
    ...[
      'decideDispute',
      'fillOrder',
      'noteMovement',
      'postDrafts',
      'releaseDeposit',
      'settleDispute',
      'settleNext',
      'takeOrders',
      'withdrawDispute',
    ],
  ]);
  for (const { sql } of statements) expect(sql).toMatch(/clock_check\(\$\d+\)/);
});

test.each([
  ['before the one that precedes it', `bank_now() - interval '1 minute'`],
  ['in the future', `bank_now() + interval '1 minute'`],
])('the owner of the tables cannot write an entry that is booked %s', async (_, at) => {
  const [from, to] = (await accounts(100n, 100n)) as [AccountId, AccountId];
  const entry = books.asOwner(
    `with header as (
       insert into ledger_transactions (id, kind, source_type, source_id, booked_at, value_date)
         values ($3, 'test', 'test', $3, ${at}, current_date) returning id, booked_at
     ), moved as (
       update accounts a set posted = a.posted + m.amount, entry_seq = a.entry_seq + 1
         from (values ($1::uuid, -1), ($2::uuid, 1)) m(id, amount) where a.id = m.id
         returning a.id, a.entry_seq, m.amount, a.posted
     )
     insert into ledger_entries (account_id, seq, transaction_id, asset, amount, balance_after, booked_at, value_date)
       select m.id, m.entry_seq, h.id, 'EUR', m.amount, m.posted, h.booked_at, current_date from moved m, header h`,
    [from, to, randomUUID()],
  );
  await expect(entry).rejects.toThrow(/do not continue its history/);
});
