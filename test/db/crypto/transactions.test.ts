/** The history of a customer's coins: every entry of all their coin accounts once, in one order, and nobody else's. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { advanceDeposit, type ToldDeposit } from '../../../db/queries/crypto/deposits.ts';
import { coinMovementsOf, type CoinMovementRow } from '../../../db/queries/crypto/transactions.ts';
import type { UserId } from '../../../domain/ids.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { bookPast, type PastEntry } from '../../support/bank/history.ts';
import { arrived, dropped, vaultOf } from '../../support/custodian/told.ts';
import { ownBank } from '../../support/stack/database.ts';

const COINS = ['BTC', 'LTC', 'DOGE', 'ETH', 'SOL', 'XRP', 'TRX', 'XLM', 'USDC', 'USDT'];
/** Enough that reading them all costs more than following the index. */
const EACH = 2_000;

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
  await books.asOwner(`update asset_networks set min_deposit = 1000 where asset = 'BTC'`);
});
afterAll(() => books.close());

async function holder(): Promise<{ readonly id: UserId; readonly vault: string }> {
  const id = await books.user();
  return { id, vault: await vaultOf(books, id) };
}

const settle = (told: ToldDeposit) => advanceDeposit.one(books.em(), { told, clock: new Date() });
const ether = (vault: string): ToldDeposit =>
  arrived(vault, { asset: 'ETH', network: 'ethereum', chain_amount: '70000000000000000' });

/** Books entries of the past on a customer's account of a coin. */
async function past(customer: UserId, coin: string, entries: readonly PastEntry[]): Promise<void> {
  const [opened] = await books.asOwner('select coin_account($1, $2) as id', [customer, coin]);
  await bookPast(books, { id: String(opened?.['id']), currency: coin }, entries);
}

interface Wish {
  readonly asset?: string;
  readonly type?: string;
  readonly from?: Date;
  /** The last entry of the page before. */
  readonly below?: CoinMovementRow | undefined;
  readonly most?: number;
}

function movements(customer: UserId, { asset, type, from, below, most = 50 }: Wish = {}) {
  const place = {
    beforeAt: below?.bookedAt ?? null,
    beforeAccount: below?.accountId ?? null,
    beforeSeq: below?.seq ?? null,
  };
  const filter = { asset: asset ?? null, type: type ?? null, from: from ?? null };
  return coinMovementsOf.all(books.em(), { customer, ...filter, ...place, most });
}

/** All pages of so many entries; `meanwhile` happens after each. */
async function pages(
  customer: UserId,
  most: number,
  { meanwhile, ...wish }: Wish & { readonly meanwhile?: () => Promise<unknown> } = {},
): Promise<CoinMovementRow[]> {
  const read: CoinMovementRow[] = [];
  for (;;) {
    const page = await movements(customer, { ...wish, most, below: read.at(-1) });
    read.push(...page);
    if (page.length < most) return read;
    await meanwhile?.();
  }
}

test('a deposit and what takes it back are two lines of opposite sign, which balances follow', async () => {
  const { id, vault } = await holder();
  await settle(arrived(vault, { chain_amount: '200000' }));
  const second = arrived(vault);
  await settle(second);
  await settle(dropped(second));
  const [reversal, deposit, first] = await movements(id);
  expect(first).toMatchObject({ type: 'deposit', seq: 1n, amount: 200_000n, balanceAfter: 200_000n });
  const place = { asset: 'BTC', network: 'bitcoin', txHash: second.tx_hash, part: 'principal' };
  expect(deposit).toMatchObject({
    ...{ ...place, type: 'deposit', seq: 2n, amount: 1_500_000n, balanceAfter: 1_700_000n },
    description: 'Deposit on bitcoin',
  });
  expect(reversal).toMatchObject({
    ...{ ...place, type: 'deposit_reversed', seq: 3n, amount: -1_500_000n, balanceAfter: 200_000n },
    ...{ description: 'Deposit taken back on bitcoin', depositId: deposit?.depositId },
  });
  expect(deposit?.depositId).not.toBe(first?.depositId);
  // the chain has it again
  await settle({ ...second, updated_at: '2026-03-01T12:00:00Z' });
  const [again] = await movements(id);
  expect(again).toMatchObject({ ...place, type: 'deposit', balanceAfter: 1_700_000n });
  expect(again?.depositId).toBe(deposit?.depositId);
});

test('nobody sees what is another customer’s', async () => {
  const [mine, other] = [await holder(), await holder()];
  await settle(arrived(mine.vault));
  await settle(arrived(other.vault, { chain_amount: '7000' }));
  await settle(ether(other.vault));
  expect((await movements(mine.id)).map(({ amount }) => amount)).toEqual([1_500_000n]);
  // neither by the place of somebody else's entry
  const [below] = await movements(other.id, { most: 1 });
  expect((await movements(mine.id, { below })).map(({ amount }) => amount)).toEqual([1_500_000n]);
  expect(await movements(await books.user())).toEqual([]);
});

test('what is not on the customer’s account is not listed', async () => {
  const { id, vault } = await holder();
  await settle(arrived(vault, { chain_amount: '999' }));
  expect(await movements(id)).toEqual([]);
  await settle(arrived(vault));
  await books.asOwner(`update accounts set status = 'frozen' where owner_id = $1 and kind = 'coin'`, [id]);
  const second = arrived(vault, { chain_amount: '20000' });
  await settle(second);
  await settle(dropped(second));
  expect(await movements(id)).toMatchObject([{ amount: 1_500_000n, balanceAfter: 1_500_000n }]);
});

test('movements of bank accounts are not listed', async () => {
  const { id, vault } = await holder();
  await books.fund(await books.account(id), 500n);
  await settle(arrived(vault));
  expect((await movements(id)).map(({ asset }) => asset)).toEqual(['BTC']);
});

test('a fee and a kind that has no type of its own are lines too', async () => {
  const { id } = await holder();
  await past(id, 'ETH', [
    { at: '2026-01-01T00:00:00Z', minor: 900n, kind: 'crypto_deposit' },
    { at: '2026-01-02T00:00:00Z', minor: -500n, kind: 'unheard_of', description: 'Something new' },
    { at: '2026-01-02T00:00:00Z', minor: -7n, kind: 'unheard_of', part: 'fee' },
  ]);
  const nowhere = { depositId: null, network: null, txHash: null };
  expect(await movements(id)).toMatchObject([
    { ...nowhere, type: 'other', part: 'fee', amount: -7n, balanceAfter: 393n },
    { ...nowhere, type: 'other', part: 'principal', description: 'Something new', balanceAfter: 400n },
    { ...nowhere, type: 'deposit', balanceAfter: 900n },
  ]);
  expect(await movements(id, { type: 'other' })).toHaveLength(2);
  expect(await movements(id, { type: 'deposit' })).toHaveLength(1);
});

/** Of three coins, many of them booked in the same millisecond. Every fourth is a reversal. */
async function crowded(): Promise<UserId> {
  const { id } = await holder();
  for (const [coin, step] of [
    ['BTC', 1],
    ['XRP', 2],
    ['ETH', 3],
  ] as const)
    await past(
      id,
      coin,
      Array.from({ length: 24 }, (_, n) => ({
        at: new Date(Date.UTC(2026, 0, 1, 0, 0, 0, Math.floor((n * step) / 8))).toISOString(),
        ...(n % 4 === 3 ? { minor: -1n, kind: 'crypto_reversal' } : { minor: 2n, kind: 'crypto_deposit' }),
      })),
    );
  return id;
}
const keyOf = ({ asset, seq }: CoinMovementRow): string => `${asset} ${String(seq)}`;

test('pages of any size hold the same entries in the same order, also of one millisecond', async () => {
  const id = await crowded();
  const whole = await movements(id, { most: 100 });
  expect(new Set(whole.map(keyOf)).size).toBe(72);
  const times = whole.map(({ bookedAt }) => bookedAt.getTime());
  expect(times).toEqual(times.toSorted((one, other) => other - one));
  for (const coin of ['BTC', 'XRP', 'ETH']) {
    const numbers = whole.filter(({ asset }) => asset === coin).map(({ seq }) => Number(seq));
    expect(numbers).toEqual(Array.from({ length: 24 }, (_, n) => 24 - n));
  }
  for (const most of [1, 2, 5, 7, 23, 71])
    expect((await pages(id, most)).map(keyOf)).toEqual(whole.map(keyOf));
});

test('filters hold on every page', async () => {
  const id = await crowded();
  const whole = await movements(id, { most: 100 });
  const from = new Date('2026-01-01T00:00:00.003Z');
  const narrowed = async (wish: Wish) => (await pages(id, 4, wish)).map(keyOf);
  const expected = (matches: (row: CoinMovementRow) => boolean) => whole.filter(matches).map(keyOf);
  expect(await narrowed({ asset: 'XRP' })).toEqual(expected(({ asset }) => asset === 'XRP'));
  expect(await narrowed({ type: 'deposit_reversed' })).toEqual(
    expected(({ type }) => type === 'deposit_reversed'),
  );
  const since = expected(({ bookedAt }) => bookedAt >= from);
  expect(since.length).toBeGreaterThan(10);
  expect(since.length).toBeLessThan(72);
  expect(await narrowed({ from })).toEqual(since);
  expect(await narrowed({ asset: 'ETH', type: 'deposit', from })).toEqual(
    expected(
      ({ asset, type, bookedAt }) => asset === 'ETH' && type === 'deposit' && bookedAt.getTime() >= +from,
    ),
  );
  expect(await narrowed({ asset: 'SOL' })).toEqual([]);
});

test('deposits that are booked while pages are read neither shift them nor are repeated', async () => {
  const { id, vault } = await holder();
  for (let n = 0; n < 4; n += 1) {
    await settle(arrived(vault));
    await settle(ether(vault));
  }
  const before = await movements(id);
  const meanwhile = async () => {
    await settle(arrived(vault));
    await settle(ether(vault));
  };
  expect((await pages(id, 3, { meanwhile })).map(keyOf)).toEqual(before.map(keyOf));
  expect(await movements(id)).toHaveLength(12);
});

const Node = z.looseObject({
  'Relation Name': z.string().optional(),
  'Actual Rows': z.number(),
  'Actual Loops': z.number(),
  get Plans() {
    return z.array(Node).optional();
  },
});
type Node = z.output<typeof Node>;
const Explained = z.tuple([z.object({ 'QUERY PLAN': z.tuple([z.object({ Plan: Node })]) })]);

function read(plan: Node, table: string): number {
  const here = plan['Relation Name'] === table ? plan['Actual Rows'] * plan['Actual Loops'] : 0;
  return (plan.Plans ?? []).reduce((sum, inner) => sum + read(inner, table), here);
}

test('a page reads as many entries of each account as it may have, however long the history is', async () => {
  const { id } = await holder();
  const first = Date.UTC(2026, 0, 1);
  for (const coin of COINS)
    await past(
      id,
      coin,
      Array.from({ length: EACH }, (_, n) => ({
        ...{ at: new Date(first + n * 60_000).toISOString(), minor: 1n, kind: 'crypto_deposit' },
      })),
    );
  await books.asOwner('vacuum analyze accounts, ledger_entries, ledger_transactions');
  const explain = async (...place: unknown[]) => {
    const [{ 'QUERY PLAN': plans }] = Explained.parse(
      await books.asOwner(`explain (analyze, format json) ${coinMovementsOf.sql}`, [
        ...[id, null, null, null, ...place, 51],
      ]),
    );
    return plans[0].Plan;
  };
  const middle = new Date(first + (EACH / 2) * 60_000);
  for (const place of [
    [null, null, null],
    [middle, '00000000-0000-0000-0000-000000000000', 0],
  ]) {
    const plan = await explain(...place);
    expect(plan['Actual Rows']).toBe(51);
    expect(read(plan, 'ledger_entries')).toBeLessThanOrEqual(51 * COINS.length);
    expect(read(plan, 'ledger_transactions')).toBeLessThanOrEqual(51);
  }
});
