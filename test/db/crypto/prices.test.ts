/** Prices of coins in the database: the rule, to the last digit, and the breaker. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

import { noteSourcePrices, pricesOf, resetBreaker, watchedPrice } from '../../../db/queries/crypto/prices.ts';

import type { UserId } from '../../../domain/ids.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { fc } from '../../support/property.ts';
import { ownBank } from '../../support/stack/database.ts';
import { rows } from '../../support/stack/sql.ts';

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
});
afterAll(() => books.close());
beforeEach(async () => {
  await books.asOwner('delete from source_prices');
  await books.asOwner('delete from coin_prices');
  await books.asOwner(`update crypto_assets set max_deviation_bps = 200, breaker_bps = 1000`);
});

/** What a source says so many seconds ago, by its clock. */
const say = async (source: string, price: string, secondsAgo = 0, asset = 'BTC'): Promise<string[]> => {
  await books.asOwner(
    'insert into price_sources (source, asked_at) values ($1, now()) on conflict do nothing',
    [source],
  );
  const told = [{ asset, price, at: new Date(Date.now() - secondsAgo * 1_000) }];
  const opened = await noteSourcePrices.all(books.em(), { source, currency: 'EUR', told });
  return opened.map(({ asset: coin }) => coin);
};
const price = async (asset = 'BTC') => {
  const [found] = await pricesOf.all(books.em(), { assets: [asset] });
  if (found === undefined) throw new Error(`there is no ${asset}`);
  return found;
};

describe('the rule', () => {
  test('one source is no price, two are their mean, three their median', async () => {
    await say('a', '60000.10');
    expect(await price()).toMatchObject({ price: null, pricedAt: null, sources: null, stale: true });
    await say('b', '60000.25', 3);
    expect(await price()).toMatchObject({ price: '60000.175', currency: 'EUR', stale: false });
    await say('c', '60000.20', 1);
    const { price: third, sources, pricedAt } = await price();
    expect(third).toBe('60000.2');
    expect(sources?.map(({ source, price: said }) => [source, said])).toEqual([
      ['a', '60000.1'],
      ['b', '60000.25'],
      ['c', '60000.2'],
    ]);
    // as old as the oldest of them
    expect(pricedAt).toEqual(sources?.[1]?.at);
  });

  test('what is too far from the middle of all does not count', async () => {
    await say('a', '100');
    await say('b', '102');
    // both are as far as they may be from 101
    expect(await price()).toMatchObject({ price: '101' });
    await say('c', '110');
    // the middle is now 102: 110 is 7.8 % away, and 100 is 1.96 %
    expect(await price()).toMatchObject({ price: '101' });
    await books.asOwner(`update crypto_assets set max_deviation_bps = 190`);
    await say('c', '110.0');
    // only 102 is left, and one is no price: the one before stands
    expect((await price()).price).toBe('101');
    expect((await watchedPrice.one(books.em(), { asset: 'BTC' })).told.map(({ used }) => used)).toEqual([
      ...[true, true, false],
    ]);
  });

  test('a source counts while it is young by its own clock, and not if its clock is ahead', async () => {
    await say('a', '100', 29);
    await say('b', '101', 31);
    expect((await price()).price).toBeNull();
    await say('b', '101', -31);
    expect((await price()).price).toBeNull();
    await say('b', '101', -5);
    expect((await price()).price).toBe('100.5');
  });

  test('a price grows stale, and the newest is still there', async () => {
    await say('a', '100', 28.5);
    await say('b', '100', 0);
    expect(await price()).toMatchObject({ price: '100', stale: false });
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await say('c', '5', 60);
    expect(await price()).toMatchObject({ price: '100', stale: true });
  });

  const Decimal = fc
    .tuple(fc.bigInt({ min: 1n, max: 10n ** 20n }), fc.nat({ max: 9 }))
    .map(([digits, places]) => decimal(digits, places));

  /** A decimal as PostgreSQL writes it. */
  function decimal(digits: bigint, places: number): string {
    const text = digits.toString().padStart(places + 1, '0');
    const fraction = text.slice(text.length - places).replace(/0+$/, '');
    const whole = text.slice(0, text.length - places);
    return fraction === '' ? whole : `${whole}.${fraction}`;
  }
  const scaled = (text: string): bigint => {
    const [whole = '', fraction = ''] = text.split('.');
    return BigInt(whole + fraction.padEnd(10, '0'));
  };

  test('the median is exact', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(Decimal, { minLength: 1, maxLength: 9 }), async (values) => {
        const sorted = values.map(scaled).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
        const [low, high] = [sorted[(sorted.length - 1) >> 1] ?? 0n, sorted[sorted.length >> 1] ?? 0n];
        const [found] = await books.asOwner('select median($1::numeric[])::text as m', [
          `{${values.join()}}`,
        ]);
        expect(found?.['m']).toBe(decimal((low + high) * 5n, 11));
      }),
      { numRuns: 50 },
    );
    expect(await books.asOwner(`select median('{}') as m`)).toEqual([{ m: null }]);
  });
});

describe('the breaker', () => {
  let admin: UserId;
  beforeAll(async () => {
    admin = await books.admin(['crypto:write']);
  });
  const both = async (at: string): Promise<string[]> => [...(await say('a', at)), ...(await say('b', at))];
  const reset = () => resetBreaker.one(books.em(), { asset: 'BTC', by: admin });

  test('a price that jumps is not taken until the breaker is reset', async () => {
    await both('100');
    // as far as it may
    await say('a', '110');
    expect(await say('b', '110')).toEqual([]);
    expect(await price()).toMatchObject({ price: '110', breakerOpenedAt: null });
    expect(await both('121.01')).toEqual(['BTC']);
    expect(await price()).toMatchObject({
      ...{ price: '110', breakerPrice: '121.01', breakerOpenedAt: expect.any(Date) },
    });
    // told once, and kept even if the price comes back
    expect(await both('110')).toEqual([]);
    expect((await price()).breakerOpenedAt).not.toBeNull();
    await both('125');
    expect(await reset()).toEqual({ wasOpen: true });
    expect(await price()).toMatchObject({ price: '125', breakerOpenedAt: null, breakerPrice: null });
    expect(await reset()).toEqual({ wasOpen: false });
  });

  test('a fall opens it too, and other coins go on', async () => {
    await both('100');
    await say('a', '5', 0, 'LTC');
    await say('b', '5', 0, 'LTC');
    expect(await both('89.9')).toEqual(['BTC']);
    await say('a', '5.1', 0, 'LTC');
    await say('b', '5.1', 0, 'LTC');
    expect(await price('LTC')).toMatchObject({ price: '5.1', breakerOpenedAt: null });
  });

  test('after a reset without prices the next one is taken, however far it is', async () => {
    await both('100');
    await both('200');
    await books.asOwner('delete from source_prices');
    await reset();
    expect(await price()).toMatchObject({ price: null, breakerOpenedAt: null });
    await both('900');
    expect(await price()).toMatchObject({ price: '900' });
  });

  test('many sources at once open it once', async () => {
    await both('100');
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const opened = await Promise.all(names.map((source) => say(source, '300')));
    expect(opened.flat()).toEqual(['BTC']);
  });
});

test('a program writes no price and resets no breaker by itself', async () => {
  for (const statement of [
    `insert into price_sources (source, asked_at) values ('x', now())`,
    `update coin_prices set breaker_opened_at = null`,
    `insert into source_prices (asset, currency, source, price, told_at) values ('BTC', 'EUR', 'a', 1, now())`,
    'delete from used_prices',
  ])
    await expect(rows(books.em(), statement)).rejects.toThrow(/permission denied/);
  const customer = await books.user();
  await expect(resetBreaker.one(books.em(), { asset: 'BTC', by: customer })).rejects.toThrow();
  await expect(
    noteSourcePrices.all(books.em(), {
      ...{ source: 'a', currency: 'EUR', told: [{ asset: 'BTC', price: '0', at: new Date() }] },
    }),
  ).rejects.toThrow();
});
