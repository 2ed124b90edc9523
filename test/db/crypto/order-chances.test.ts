/**
 * Orders of coins by chance: customers buy and sell at once while prices jump, accounts are blocked, debits stop, other things must be
 * booked, and processes are killed before or after they have booked. In the end each customer has, to the last digit, what the quotes of
 * their filled orders say, and the bank has the other side. `ORDER_RUNS` asks for more seeds.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CryptoOrderRow } from '../../../db/queries/crypto/orders.ts';
import { transaction } from '../../../db/transaction.ts';
import { carryOutOrder } from '../../../services/crypto/orders.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { coinFigures } from '../../support/bank/coin-figures.ts';
import { receiveCoins } from '../../support/bank/coins.ts';
import { insertFeeRule } from '../../support/bank/pricing.ts';
import { brokenChecks } from '../../support/bank/proof.ts';
import {
  fill,
  mustTake,
  newTrader,
  place,
  quoteOf,
  setCoinPrice,
  verdictOf,
  type Trader,
} from '../../support/bank/trades.ts';
import { dice } from '../../support/dice.ts';
import { SEED } from '../../support/property.ts';
import { ownBank } from '../../support/stack/database.ts';
import { rows } from '../../support/stack/sql.ts';

const RUNS = Number(process.env['ORDER_RUNS'] ?? 20);
const CUSTOMERS = 3;
const STEPS = 60;
const AT_ONCE = 6;
const MONEY = 100_000n;
const COINS = 2_000_000n;

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
  await books.asOwner(`update crypto_assets set enabled = true, min_order = 0 where asset = 'BTC'`);
  await books.asOwner(`update crypto_limits set day = 80000 where operation = 'buy' and kyc_level = 0`);
  await insertFeeRule(books, { purpose: 'crypto_order', flat: 7, rateBps: 33 });
  await setCoinPrice(books, 'BTC', '60000');
});
afterAll(() => books.close());

type Chance = (most: number) => number;
const { held, house } = coinFigures(() => books.em());

interface World {
  readonly traders: readonly Trader[];
  readonly orders: CryptoOrderRow[];
  /** What had to be booked on accounts, whatever was held there. */
  readonly taken: Map<string, bigint>;
}

async function oneStep({ traders, orders, taken }: World, chance: Chance): Promise<void> {
  const trader = traders[chance(CUSTOMERS)];
  if (trader === undefined) throw new Error('there are no customers');
  const roll = chance(12);
  if (roll < 6) await trade(trader, orders, chance);
  else if (roll < 10) await carryOut(orders[chance(Math.max(orders.length, 1))], chance);
  else if (roll === 10) await setCoinPrice(books, 'BTC', String(50_000 + chance(20_000)));
  else await disturb(trader, taken, chance);
}

/** Any side of any amount; a third is more than the customer has. */
async function trade(trader: Trader, orders: CryptoOrderRow[], chance: Chance): Promise<void> {
  const side = chance(2) === 0 ? 'buy' : 'sell';
  const euros = { minor: BigInt(1 + chance(60_000)), asset: 'EUR' };
  const coins = { minor: BigInt(1 + chance(1_000_000)), asset: 'BTC' };
  const [spent, received] = side === 'buy' ? [euros, coins] : [coins, euros];
  const wanted = {
    side,
    asset: 'BTC',
    ...(chance(2) === 0 ? { spend: spent } : { receive: received }),
  } as const;
  const made = quoteOf(books, trader, wanted);
  const verdict = await verdictOf(made);
  if (verdict !== 'done') {
    expect(['amount_not_convertible', 'price_unavailable']).toContain(verdict);
    return;
  }
  const { id } = await made;
  const [placed, refused] = await Promise.allSettled([place(books, trader, id), place(books, trader, id)]);
  for (const answer of [placed, refused]) if (answer.status === 'fulfilled') orders.push(answer.value);
  expect([placed, refused].filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
}

/** Carries an order out: once, twice at once, or by a worker that is killed before it has committed. */
async function carryOut(order: CryptoOrderRow | undefined, chance: Chance): Promise<void> {
  if (order === undefined) return;
  const roll = chance(3);
  if (roll === 0) {
    const killed = new Error('killed');
    const call = transaction(books.em(), async (db) => {
      await carryOutOrder(db, order.id);
      throw killed;
    });
    await expect(call).rejects.toBe(killed);
  } else await Promise.all(Array.from({ length: roll }, () => fill(books, order.id)));
}

async function disturb({ account }: Trader, taken: World['taken'], chance: Chance): Promise<void> {
  if (chance(3) === 0) {
    const minor = BigInt(1 + chance(5_000));
    await mustTake(books, account, minor);
    taken.set(account, (taken.get(account) ?? 0n) + minor);
    return;
  }
  const status = ['open', 'open', 'blocked', 'frozen'][chance(4)];
  await books.asOwner('update accounts set status = $2 where id = $1', [account, status]);
  await books.asOwner(`update crypto_assets set debits_stopped = $1 where asset = 'BTC'`, [chance(4) === 0]);
}

/** What became of an order. */
async function ended({ id }: CryptoOrderRow): Promise<string | undefined> {
  const found = await rows<{ status: string }>(books.em(), 'select status from crypto_orders where id = $1', [
    id,
  ]);
  return found[0]?.status;
}

test.each(Array.from({ length: RUNS }, (_, run) => SEED + run))('seed %i', async (seed) => {
  const chance = dice(seed);
  const traders: Trader[] = [];
  for (let index = 0; index < CUSTOMERS; index += 1) {
    const trader = await newTrader(books, '1000.00 EUR');
    await receiveCoins(books, trader.id, 'BTC', COINS);
    traders.push(trader);
  }
  const world: World = { traders, orders: [], taken: new Map() };
  const before = { fees: await house('fees', 'EUR'), money: await house('crypto_position', 'EUR') };
  for (let step = 0; step < STEPS; step += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => oneStep(world, chance)));
  for (const { id } of world.orders) await fill(books, id);

  let [fees, exchanged] = [0n, 0n];
  for (const trader of traders) {
    let [money, coins] = [MONEY - (world.taken.get(trader.account) ?? 0n), COINS];
    const own = world.orders.filter(({ accountId }) => accountId === trader.account);
    for (const order of own) {
      const status = await ended(order);
      expect(['filled', 'failed']).toContain(status);
      if (status === 'failed') continue;
      const sign = order.side === 'buy' ? 1n : -1n;
      money -= sign * order.gross + (order.side === 'sell' ? order.fee : 0n);
      coins += sign * order.coins;
      fees += order.fee;
      exchanged += order.side === 'buy' ? order.gross - order.fee : -BigInt(order.price.exchange?.mid ?? 0);
    }
    expect(await books.balance(trader.account)).toEqual({ posted: money, held: 0n });
    expect(await held(trader.id)).toBe(coins);
    expect(coins).toBeGreaterThanOrEqual(0n);
  }
  expect((await house('fees', 'EUR')) - before.fees).toBe(fees);
  expect((await house('crypto_position', 'EUR')) - before.money).toBe(exchanged);
});

test('the books balance after all of it, and hold for customers and the house what lies with the custodian', async () => {
  expect(await brokenChecks(books.em())).toEqual([]);
  const [owned] = await rows<{ sum: string }>(
    books.em(),
    `select sum(posted)::text as sum from accounts where asset = 'BTC' and role is distinct from 'custody'`,
  );
  expect(-(await house('custody'))).toBe(BigInt(owned?.sum ?? 0));
  // it has seen both ends
  const ends = await rows<{ status: string }>(
    books.em(),
    'select status from crypto_orders group by status order by status',
  );
  expect(ends.map(({ status }) => status)).toEqual(['failed', 'filled']);
});
