/** Daily snapshots of coins: one a day for each coin of a customer, of one moment, and never changed. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  beginCryptoSnapshot,
  coinHoldingsOf,
  cryptoSnapshotsOf,
  takeCryptoSnapshots,
} from '../../../db/queries/crypto/portfolio.ts';
import { noteSourcePrices } from '../../../db/queries/crypto/prices.ts';
import type { UserId } from '../../../domain/ids.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { receiveCoins } from '../../support/bank/coins.ts';
import { ownBank } from '../../support/stack/database.ts';

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
  await books.asOwner('update asset_networks set min_deposit = 0');
  await books.asOwner(`insert into price_sources (source, asked_at) values ('a', now()), ('b', now())`);
});
afterAll(() => books.close());

const say = async (price: string): Promise<void> => {
  for (const source of ['a', 'b']) {
    const told = [{ asset: 'BTC', price, at: new Date() }];
    await noteSourcePrices.all(books.em(), { source, currency: 'EUR', told });
  }
};
const begin = async (): Promise<string> => (await beginCryptoSnapshot.one(books.em())).day;
async function take(day: string, most = 2): Promise<number> {
  let [after, taken]: [string | null, number] = [null, 0];
  do {
    const batch = await takeCryptoSnapshots.one(books.em(), { day, after, most });
    after = batch.last;
    taken += batch.taken;
  } while (after !== null);
  return taken;
}
const snapshots = (customer: UserId, page: { readonly before?: string; readonly most?: number } = {}) =>
  cryptoSnapshotsOf.all(books.em(), {
    ...{ customer, asset: null, from: null, to: null },
    ...{ before: page.before ?? null, most: page.most ?? 50 },
  });

test('a snapshot is of one moment, however late its batches are and however often they are taken', async () => {
  const [ann, bert] = [await books.user(), await books.user()];
  await say('60000.5');
  await receiveCoins(books, ann, 'BTC', 1_500_000n);
  await receiveCoins(books, ann, 'XRP', 7n);
  // something else was done at this price already
  await books.asOwner(
    `insert into used_prices (asset, currency, price, priced_at, sources)
       select asset, currency, price, priced_at, sources from coin_prices where price is not null`,
  );
  const day = await begin();
  expect(await books.asOwner('select asset, price from used_prices')).toEqual([
    { asset: 'BTC', price: '60000.5' },
  ]);
  await receiveCoins(books, ann, 'BTC', 500_000n);
  await receiveCoins(books, bert, 'BTC', 9n);
  await say('61000');
  expect(await begin()).toBe(day);
  expect(await take(day)).toBe(2);
  expect(await take(day)).toBe(0);
  expect(await Promise.all([take(day), take(day, 1)])).toEqual([0, 0]);

  const [mine, ...older] = await snapshots(ann);
  expect(older).toEqual([]);
  expect(mine).toMatchObject({
    ...{ day, currency: 'EUR' },
    assets: [
      { asset: 'BTC', balance: 1_500_000n, price: '60000.5', sources: [{ source: 'a' }, { source: 'b' }] },
      { asset: 'XRP', balance: 7n, price: null, sources: null },
    ],
  });
  // who came after the moment comes tomorrow
  expect(await snapshots(bert)).toEqual([]);
  expect(await coinHoldingsOf.all(books.em(), { customer: ann })).toMatchObject([
    { asset: 'BTC', name: 'Bitcoin', posted: 2_000_000n, held: 0n, pending: 0n },
    { asset: 'XRP', posted: 7n },
  ]);
});

test('days follow each other from the newest, and nobody changes one', async () => {
  const customer = await books.user();
  await receiveCoins(books, customer, 'BTC', 5n);
  const days = ['2026-01-03', '2026-01-02', '2026-01-01'];
  for (const day of days) {
    await books.asOwner(
      `insert into crypto_snapshot_days (day, asset, currency, taken_at) values ($1, 'BTC', 'EUR', now())`,
      [day],
    );
    await take(day, 50);
  }
  const page = await snapshots(customer, { most: 2 });
  expect(page.map(({ day }) => day)).toEqual(days.slice(0, 2));
  expect((await snapshots(customer, { before: days[1] ?? '' })).map(({ day }) => day)).toEqual(days.slice(2));
  for (const change of [
    'update crypto_snapshots set balance = 1',
    'delete from crypto_snapshots',
    `update crypto_snapshot_days set taken_at = now()`,
    'update used_prices set price = 1',
    'delete from used_prices',
  ])
    await expect(books.asOwner(change)).rejects.toThrow('append-only');
  expect(await snapshots(await books.user())).toEqual([]);
});
