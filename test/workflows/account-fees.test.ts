/** Monthly fees of accounts: each once a month, refused ones again the next day, and saved runs still replay. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { accountFeeActivities } from '../../activities/account-fees.ts';
import { chargeFeeMonth } from '../../db/queries/pricing/account-fees.ts';
import { trialBalance } from '../../db/ledger/trial-balance.ts';
import { openAccount } from '../../db/ledger/accounts.ts';
import { AccountId, AccountTypeId } from '../../domain/ids.ts';
import { dayAt } from '../../domain/statements.ts';
import { machineNow, now } from '../../domain/time/now.ts';
import { openBooks, type Books } from '../support/bank/books.ts';
import { insertFeeRule } from '../support/bank/pricing.ts';
import { ownBank } from '../support/stack/database.ts';
import {
  openProcessWorld,
  replay,
  savedHistories,
  type ProcessWorld,
} from '../support/processes/process-world.ts';

let books: Books;
let world: ProcessWorld;
/** An account type whose accounts pay 4.90 a month. */
let feeType: AccountTypeId;

const LONG_AGO = '2020-01-01T00:00:00Z';

beforeAll(async () => {
  // a bank of its own: a month is charged for all accounts of a bank, and one test damages the books
  books = openBooks(await ownBank());
  world = await openProcessWorld(accountFeeActivities({ em: books.em }), books.em);
  const type = randomUUID();
  const fee = { purpose: 'monthly', description: 'Account fee', flat: 490, since: LONG_AGO };
  const rule = await insertFeeRule(books, fee);
  await books.asOwner(
    `insert into account_types (id, code, name, asset, openable_by, monthly_fee_rule_id) values ($1, $2, 'With a fee', 'EUR', 'customer', $3)`,
    [type, `fee_${type.replaceAll('-', '').slice(0, 20)}`, rule],
  );
  feeType = AccountTypeId.parse(type);
});
afterAll(async () => {
  await world.close();
  await books.close();
});
// as if the month had just begun
beforeEach(() => books.asOwner('delete from account_fee_months'));

async function account(minor: bigint, openedAt = LONG_AGO): Promise<AccountId> {
  const id = AccountId.parse(randomUUID());
  const opening = { id, owner: await books.user(), type: feeType, nickname: null };
  await openAccount(books.em(), opening, { country: 'DE', bankCode: '99990000' });
  await books.asOwner('update accounts set opened_at = $2 where id = $1', [id, openedAt]);
  if (minor > 0n) await books.fund(id, minor);
  return id;
}

async function run(left: object | null = null): Promise<{ id: string; month: unknown }> {
  const id = `account-fees-${randomUUID()}`;
  const month: unknown = await world.env.client.workflow.execute('accountFees', {
    workflowId: id,
    taskQueue: 'test-money',
    args: [left],
  });
  return { id, month };
}

const posted = async (id: AccountId): Promise<bigint> => (await books.balance(id)).posted;
const feesOf = (id: AccountId) =>
  books.asOwner('select status, refusal, attempts, amount from account_fees where account_id = $1', [id]);
const monthOfNow = `${dayAt(now(), 'Europe/Berlin').slice(0, 'YYYY-MM'.length)}-01`;

test('each account pays once a month, however often the process runs', async () => {
  const payer = await account(1_000n);
  const first = await run();
  expect(first.month).toBe(monthOfNow);
  expect(await posted(payer)).toBe(510n);
  const again = await run();
  expect(again.month).toBeNull();
  expect(await posted(payer)).toBe(510n);
  expect(await feesOf(payer)).toEqual([{ status: 'charged', refusal: null, attempts: 1, amount: '490' }]);
  await world.save(first.id, 'account-fees', 'charged');
  await world.save(again.id, 'account-fees', 'charged before');
});

test('a month that is charged again from the beginning, by four at once, charges nobody twice', async () => {
  const payer = await account(2_000n);
  await run();
  const everything = async (): Promise<void> => {
    let after: string | null = null;
    do
      after = (
        await chargeFeeMonth.one(books.em(), { month: monthOfNow, after, most: 50, clock: machineNow() })
      ).last;
    while (after !== null);
  };
  await Promise.all(Array.from({ length: 4 }, everything));
  expect(await posted(payer)).toBe(1_510n);
});

test('four that charge for the first time at once charge once', async () => {
  const payer = await account(2_000n);
  const everything = async (): Promise<void> => {
    let after: string | null = null;
    do
      after = (
        await chargeFeeMonth.one(books.em(), { month: monthOfNow, after, most: 50, clock: machineNow() })
      ).last;
    while (after !== null);
  };
  await Promise.all(Array.from({ length: 4 }, everything));
  expect(await posted(payer)).toBe(1_510n);
});

test('what the books refuse is kept with the reason and charged once there is money', async () => {
  const poor = await account(489n);
  await run();
  expect(await posted(poor)).toBe(489n);
  expect(await feesOf(poor)).toMatchObject([
    { status: 'refused', refusal: 'insufficient_funds', attempts: 1 },
  ]);
  await books.fund(poor, 1n);
  const { id } = await run();
  expect(await posted(poor)).toBe(0n);
  expect(await feesOf(poor)).toMatchObject([{ status: 'charged', refusal: null, attempts: 2 }]);
  await world.save(id, 'account-fees', 'charged on another day');
});

test('an account that was booked ahead of the clock owes its fee, and the others of its batch pay', async () => {
  const accounts = [await account(1_000n), await account(1_000n), await account(1_000n)];
  const [payer, ahead, other] = accounts as [AccountId, AccountId, AccountId];
  const bookedAt = (moment: string) =>
    books.asOwner(`update accounts set last_entry_at = ${moment} where id = $1`, [ahead]);
  await bookedAt(`bank_now() + interval '30 days'`);
  await run();
  expect(await Promise.all([payer, ahead, other].map(posted))).toEqual([510n, 1_000n, 510n]);
  expect(await feesOf(ahead)).toMatchObject([{ status: 'refused', refusal: 'booked_ahead', attempts: 1 }]);
  await bookedAt('bank_now()');
  await run();
  expect(await feesOf(ahead)).toMatchObject([{ status: 'charged', refusal: null, attempts: 2 }]);
});

test('a fee that was refused for a month is set aside: tried once a week, it is charged all the same', async () => {
  const poor = await account(0n);
  await run();
  const triedBefore = (days: number) =>
    books.asOwner(
      `update account_fees set attempts = 30, tried_at = now() - make_interval(days => $2) where account_id = $1`,
      [poor, days],
    );
  await books.fund(poor, 490n);
  await triedBefore(6);
  await run();
  expect(await feesOf(poor)).toMatchObject([{ status: 'refused', attempts: 30 }]);
  await triedBefore(8);
  await run();
  expect(await feesOf(poor)).toMatchObject([{ status: 'charged', attempts: 31 }]);
});

test('a run that goes on where another left off charges those after it', async () => {
  const pair = [await account(1_000n), await account(1_000n)].toSorted();
  await run({ month: monthOfNow, after: pair[0] });
  expect(await Promise.all(pair.map(posted))).toEqual([1_000n, 510n]);
});

test('an account whose books are damaged owes its fee, and the others of its batch pay', async () => {
  const accounts = [await account(1_000n), await account(1_000n), await account(1_000n)];
  const [payer, damaged, other] = accounts as [AccountId, AccountId, AccountId];
  // the next entry has a number that is taken; the database lets nobody do so while its triggers are on
  const damage = (by: number) =>
    books.asOwner(`
      alter table accounts disable trigger accounts_agree;
      update accounts set entry_seq = entry_seq + ${String(by)} where id = '${damaged}';
      alter table accounts enable trigger accounts_agree;`);
  await damage(-1);
  await run();
  expect(await Promise.all([payer, damaged, other].map(posted))).toEqual([510n, 1_000n, 510n]);
  expect(await feesOf(damaged)).toMatchObject([{ status: 'refused', refusal: 'error_23505', attempts: 1 }]);
  await damage(1);
  await run();
  expect(await feesOf(damaged)).toMatchObject([{ status: 'charged', refusal: null, attempts: 2 }]);
});

test('a month that was cut off is charged in the next month, after that one', async () => {
  const payer = await account(2_000n);
  const [year, month] = monthOfNow.split('-').map(Number) as [number, number];
  const before = new Date(Date.UTC(year, month - 2, 1)).toISOString().slice(0, 'YYYY-MM-DD'.length);
  await books.asOwner('insert into account_fee_months (month) values ($1)', [before]);
  expect((await run()).month).toBe(monthOfNow);
  expect((await run()).month).toBe(before);
  expect((await run()).month).toBeNull();
  expect(await posted(payer)).toBe(1_020n);
});

test('an account that was opened in the month pays from the next one', async () => {
  const fresh = await account(1_000n, new Date().toISOString());
  await run();
  expect(await feesOf(fresh)).toEqual([]);
});

test('a blocked account owes, a closed one is let go', async () => {
  const [blocked, closing] = [await account(1_000n), await account(100n)];
  await books.asOwner(`update accounts set status = 'blocked' where id = $1`, [blocked]);
  await run();
  expect(await feesOf(blocked)).toMatchObject([{ status: 'refused', refusal: 'account_blocked' }]);
  expect(await feesOf(closing)).toMatchObject([{ status: 'refused', refusal: 'insufficient_funds' }]);
  await books.fund(closing, -100n);
  await books.asOwner(`update accounts set status = 'closed', closed_at = now() where id = $1`, [closing]);
  await run();
  expect(await feesOf(closing)).toMatchObject([{ status: 'waived', refusal: 'account_closed' }]);
});

test('the fee is an entry of its own, and the books stay balanced', async () => {
  const payer = await account(490n);
  await run();
  const entries = await books.asOwner(
    `select e.amount, e.part, t.kind, t.description, t.metadata->>'month' as month
       from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
      where e.account_id = $1 order by e.seq desc limit 1`,
    [payer],
  );
  expect(entries).toEqual([
    {
      amount: '-490',
      part: 'fee',
      kind: 'account_fee',
      description: 'Account fee',
      month: monthOfNow.slice(0, 7),
    },
  ]);
  const { checks } = await trialBalance(books.em());
  expect(checks.find(({ check }) => check === 'every transaction sums to zero')).toMatchObject({ broken: 0 });
});

test('a fee’s id is a UUID of version 8, the same for the same name', async () => {
  const [found] = await books.asOwner(
    `select array_agg(name_uuid(n::text) order by n)::text[] as ids, name_uuid('1') = name_uuid('1') as same from generate_series(1, 500) n`,
  );
  expect(found?.['same']).toBe(true);
  const ids = z
    .array(z.uuid({ version: 'v8' }))
    .length(500)
    .parse(found?.['ids']);
  const hash = createHash('sha256').update('1').digest('hex');
  expect(ids[0]?.replaceAll('-', '').slice(0, 12)).toBe(hash.slice(0, 12));
  expect(new Set(ids).size).toBe(500);
});

test('what became of a fee stands, for the owner of the tables too', async () => {
  const payer = await account(490n);
  await run();
  const change = books.asOwner(`update account_fees set status = 'due' where account_id = $1`, [payer]);
  await expect(change).rejects.toThrow('stands');
  await expect(books.asOwner('delete from account_fees where account_id = $1', [payer])).rejects.toThrow(
    'append-only',
  );
});

describe('saved histories', () => {
  test.each(savedHistories('account-fees'))('$why', async ({ history }) => {
    await expect(replay(history)).resolves.toBeUndefined();
  });
});
