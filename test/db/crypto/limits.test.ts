/** The limits of buying, selling and withdrawing coins: which one holds, what is used of it, and that calls at once cannot pass it. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { replaceCoinLimits } from '../../../db/queries/crypto/limits.ts';
import type { CoinLimit, CoinOperation } from '../../../domain/crypto/limits.ts';
import type { UserId } from '../../../domain/ids.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { ownBank } from '../../support/stack/database.ts';
import { row, rows } from '../../support/stack/sql.ts';

let books: Books;
let admin: UserId;
beforeAll(async () => {
  books = openBooks(await ownBank());
  admin = await books.admin(['crypto:write']);
});
afterAll(() => books.close());

const setLimits = (operation: CoinOperation, ...limits: CoinLimit[]): Promise<void> =>
  replaceCoinLimits(books.em(), operation, admin, limits);
const level = (kycLevel: number, day: bigint | null, month: bigint | null): CoinLimit => ({
  ...{ kycLevel, day, month },
});

async function customerAt(kycLevel: number): Promise<UserId> {
  const customer = await books.user();
  await books.asOwner('update users set kyc_level = $2 where id = $1', [customer, kycLevel]);
  return customer;
}

const passed = async (customer: UserId, of: CoinOperation, worth: string, at: string): Promise<unknown> =>
  (
    await books.asOwner('select crypto_limit_passed($1, $2, $3, $4) as answer', [customer, of, worth, at])
  )[0]?.['answer'];

/** Counts a use and returns its source. */
async function count(customer: UserId, of: CoinOperation, worth: string, at: string): Promise<string> {
  const source = randomUUID();
  await books.asOwner('select crypto_limit_count($1, $2, $3, $4, $5)', [customer, of, source, worth, at]);
  return source;
}

const AT = '2026-03-20T12:00:00.000Z';
const after = (milliseconds: number): string => new Date(Date.parse(AT) + milliseconds).toISOString();
const DAY = 86_400_000;

describe('the limit that holds', () => {
  test.each([
    [0, 'withdrawal', 100_000n, 500_000n],
    [1, 'withdrawal', 1_000_000n, 5_000_000n],
    [2, 'withdrawal', 10_000_000n, 50_000_000n],
    [9, 'withdrawal', 10_000_000n, 50_000_000n],
  ])('of a new bank for level %i at %s', async (kycLevel, operation, day, month) => {
    const customer = await customerAt(kycLevel);
    const [found] = await books.asOwner(
      'select f.day::text, f.month::text from crypto_limits_in_force($1, $2) f',
      [customer, operation],
    );
    expect(found).toEqual({ day: String(day), month: String(month) });
  });

  test('is that of the lowest level if the customer has reached none, and none if there is no row', async () => {
    await setLimits('buy', level(2, 200n, null), level(1, 100n, null));
    expect(await passed(await customerAt(0), 'buy', '101', AT)).toMatchObject({ limit: { amount: '1.00' } });
    expect(await passed(await customerAt(2), 'buy', '200', AT)).toBeNull();
    expect(await passed(await customerAt(0), 'sell', '1e30', AT)).toBeNull();
    await setLimits('buy');
    expect(await passed(await customerAt(0), 'buy', '1e30', AT)).toBeNull();
  });
});

describe('a rolling window', () => {
  test('is passed by one cent, or a part of one, and the refusal says by what', async () => {
    await setLimits('buy', level(0, 1_000n, 5_000n));
    const customer = await customerAt(0);
    await count(customer, 'buy', '400', AT);
    expect(await passed(customer, 'buy', '600', AT)).toBeNull();
    expect(await passed(customer, 'buy', '600.000001', AT)).toEqual({
      limit: {
        ...{ subject: 'user', period: 'PT24H', currency: 'EUR' },
        ...{ amount: '10.00', used: '4.00', remaining: '6.00' },
      },
    });
    await count(customer, 'buy', '600', after(1));
    expect(await passed(customer, 'buy', '0.000001', after(1))).toMatchObject({
      limit: { remaining: '0.00' },
    });
  });

  test.each([
    ['PT24H', level(0, 1_000n, null), 1],
    ['P30D', level(0, null, 1_000n), 30],
    // the 24 hours are free again first
    ['P30D', level(0, 1_000n, 1_000n), 30],
  ])('%s of %j leaves out what lies exactly its length before', async (period, limit, days) => {
    await setLimits('buy', limit);
    const customer = await customerAt(0);
    await count(customer, 'buy', '1000', AT);
    expect(await passed(customer, 'buy', '1', after(days * DAY - 1))).toMatchObject({ limit: { period } });
    expect(await passed(customer, 'buy', '1000', after(days * DAY))).toBeNull();
    expect(await passed(customer, 'buy', '1001', after(days * DAY))).toMatchObject({
      limit: { used: '0.00' },
    });
  });

  test('counts each operation and each customer by itself', async () => {
    await setLimits('buy', level(0, 1_000n, null));
    await setLimits('withdrawal', level(0, 1_000n, null));
    const [one, other] = [await customerAt(0), await customerAt(0)];
    await count(one, 'buy', '1000', AT);
    expect(await passed(one, 'withdrawal', '1000', AT)).toBeNull();
    expect(await passed(other, 'buy', '1000', AT)).toBeNull();
    expect(await passed(one, 'buy', '1', AT)).not.toBeNull();
  });
});

test('a limit that is set later knows what was done without one', async () => {
  await setLimits('sell');
  const customer = await customerAt(0);
  await count(customer, 'sell', '900', AT);
  await setLimits('sell', level(0, 1_000n, 1_000n));
  expect(await passed(customer, 'sell', '101', AT)).toMatchObject({ limit: { used: '9.00' } });
  await setLimits('sell');
});

test('what is given back is free, once, and at the time at which it was counted', async () => {
  await setLimits('buy', level(0, 1_000n, null));
  const customer = await customerAt(0);
  const source = await count(customer, 'buy', '700', AT);
  await count(customer, 'buy', '300', after(1_000));
  for (let times = 0; times < 2; times += 1) await books.asOwner('select limit_change($1, 0)', [source]);
  expect(await passed(customer, 'buy', '700', after(2_000))).toBeNull();
  expect(await passed(customer, 'buy', '701', after(2_000))).toMatchObject({ limit: { used: '3.00' } });
});

describe('twenty calls at once', () => {
  /** Uses a part of the limit as an order does: under the customer's lock. Returns the source, or null if the limit is reached. */
  const use = (customer: UserId, worth: string, at: string): Promise<string | null> =>
    books.ownerEm().transactional(async (db) => {
      await row(db, 'select limit_lock(array[$1::uuid])', [customer]);
      const verdict = await row<{ passed: object | null }>(
        db,
        `select crypto_limit_passed($1, 'buy', $2, $3) as passed`,
        [customer, worth, at],
      );
      if (verdict?.passed !== null) return null;
      const source = randomUUID();
      await row(db, `select crypto_limit_count($1, 'buy', $2, $3, $4)`, [customer, source, worth, at]);
      return source;
    });
  const twenty = async (customer: UserId, worth: string, at: string): Promise<string[]> => {
    const taken = await Promise.all(Array.from({ length: 20 }, () => use(customer, worth, at)));
    return taken.filter((source) => source !== null);
  };

  test.each([
    [level(0, 1_000n, 5_000n), DAY],
    [level(0, 1_000n, 1_000n), 30 * DAY],
  ])('never pass %j, and use all of it', async (limit, window) => {
    await setLimits('buy', limit);
    const customer = await customerAt(0);
    expect(await twenty(customer, '100', AT)).toHaveLength(10);
    expect(await twenty(customer, '100', after(window - 1))).toHaveLength(0);
    expect(await twenty(customer, '100', after(window))).toHaveLength(10);
  });

  test('add up exactly what is less than a cent', async () => {
    await setLimits('buy', level(0, 1n, null));
    const customer = await customerAt(0);
    expect(await twenty(customer, '0.1', AT)).toHaveLength(10);
    expect(await passed(customer, 'buy', '1e-30', AT)).toMatchObject({ limit: { remaining: '0.00' } });
  });
});

describe('who sets limits', () => {
  test('a program without an administrator changes nothing', async () => {
    for (const statement of [
      'update crypto_limits set day = null',
      'delete from crypto_limits',
      `insert into crypto_limits (operation, kyc_level) values ('sell', 1)`,
    ])
      await expect(rows(books.em(), statement)).rejects.toThrow(/permission denied/);
    await expect(replaceCoinLimits(books.em(), 'buy', await books.user(), [])).rejects.toThrow(
      /crypto:write/,
    );
    for (const statement of [
      `select crypto_limit_count($1, 'buy', $1, 1, now())`,
      `select crypto_limit_passed($1, 'buy', 1, now())`,
    ])
      await expect(rows(books.em(), statement, [admin])).rejects.toThrow(/permission denied/);
  });

  test('the 24 hours never allow more than the 30 days, and a level has one limit', async () => {
    await expect(setLimits('buy', level(0, 2n, 1n))).rejects.toThrow(/check/);
    await expect(setLimits('buy', level(0, 1n, 1n), level(0, 2n, 2n))).rejects.toThrow(/unique/);
  });
});
