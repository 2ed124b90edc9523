/** What customers have in coins over the API: now by the newest prices, and on past days by those of then. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { call } from '../../support/bank/accounts.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { receiveCoins } from '../../support/bank/coins.ts';
import { SHARED } from '../../support/stack/database.ts';
import { until } from '../../support/until.ts';

let bank: Bank;
let books: Books;
beforeAll(async () => {
  bank = openBank();
  books = openBooks(SHARED);
  await bank.asOwner(`update crypto_assets set enabled = true where asset = 'BTC'`);
});
afterAll(async () => {
  await bank.close();
  await books.close();
});

type Query = Readonly<Record<string, string>>;
const Money = z.object({ amount: z.string(), currency: z.string() });
const Coins = z.object({ amount: z.string(), asset: z.string() });
const Portfolio = z.looseObject({
  currency: z.string(),
  assets: z.array(
    z.looseObject({
      ...{ asset: z.string(), balance: Coins, available: Coins, pending: Coins },
      converted: z.object({ amount: Money, rate: z.string(), stale: z.boolean() }).nullable(),
    }),
  ),
  ...{ total: Money, without: z.array(z.string()) },
});
const read = (person: Person, path: string, query: Query = {}) =>
  call(person, 'GET', path, undefined, { query });
const portfolio = async (person: Person, query: Query = {}) =>
  (await read(person, '/v1/crypto/portfolio', query)).as(Portfolio);

test('a portfolio is worth what its coins are by the newest prices, in any currency', async () => {
  const person = await bank.customer();
  expect(await portfolio(person)).toMatchObject({
    ...{ assets: [], total: { amount: '0.00', currency: 'EUR' }, without: [] },
  });
  await receiveCoins(books, person.id, 'BTC', 1_500_000n);
  // the workers of the bank ask the sources every two seconds
  await until(async () => (await portfolio(person)).assets[0]?.converted?.stale === false);
  const { assets, total, without } = await portfolio(person);
  const [coin] = assets;
  expect(coin).toMatchObject({
    ...{ asset: 'BTC', name: 'Bitcoin', balance: { amount: '0.01500000', asset: 'BTC' } },
    ...{ available: { amount: '0.01500000' }, pending: { amount: '0.00000000' } },
  });
  expect(total).toEqual(coin?.converted?.amount);
  expect(Number(total.amount)).toBeCloseTo(0.015 * Number(coin?.converted?.rate), 2);
  expect(without).toEqual([]);

  await bank.asOwner(
    `insert into fx_rates (id, base, quote, rate, spread_bps, valid_from, source)
       select uuidv7(), 'EUR', 'MUR', 50, 0, now(), 'test'`,
  );
  const rupees = await portfolio(person, { currency: 'MUR' });
  expect(rupees.currency).toBe('MUR');
  expect(Number(rupees.total.amount) / Number(total.amount)).toBeCloseTo(50, 0);
  expect(await read(person, '/v1/crypto/portfolio', { currency: 'BTC' })).toMatchObject({ status: 400 });
});

test('a coin without a price is named, and is missing from the total', async () => {
  const person = await bank.customer();
  // a coin that nobody offers here: no worker asks for its price
  await receiveCoins(books, person.id, 'SOL', 50_000_000_000n);
  expect(await portfolio(person)).toMatchObject({
    assets: [{ asset: 'SOL', balance: { amount: '50.000000000' }, converted: null }],
    ...{ total: { amount: '0.00', currency: 'EUR' }, without: ['SOL'] },
  });
});

const History = z.object({
  items: z.array(
    z.looseObject({
      day: z.string(),
      assets: z.array(z.looseObject({ value: Money.nullable() })),
      ...{ total: Money, without: z.array(z.string()) },
    }),
  ),
  next_cursor: z.string().nullable(),
});

test('the snapshots of past days show the prices of then, a page at a time', async () => {
  const person = await bank.customer();
  const [price] = await bank.asOwner(
    `insert into used_prices (asset, currency, price, priced_at, sources)
       values ('BTC', 'EUR', 33333.33, clock_timestamp(), '[{"source": "a", "price": "1", "at": "2001-03-04T00:00:00Z"}, {"source": "b", "price": "1", "at": "2001-03-04T00:00:00Z"}]')
       returning id`,
  );
  for (const day of ['2001-03-03', '2001-03-04', '2001-03-05']) {
    await bank.asOwner(
      `insert into crypto_snapshot_days (day, asset, currency, price_id, taken_at)
         values ($1, 'BTC', 'EUR', $2, $1::date), ($1, 'XRP', 'EUR', null, $1::date)`,
      [day, price?.['id']],
    );
    await bank.asOwner(
      `insert into crypto_snapshots (user_id, day, asset, balance) values ($1, $2, 'BTC', 1500000), ($1, $2, 'XRP', 7)`,
      [person.id, day],
    );
  }
  const history = async (query: Query) =>
    (await read(person, '/v1/crypto/balance-history', query)).as(History);
  const first = await history({ limit: '2' });
  expect(first.items.map(({ day }) => day)).toEqual(['2001-03-05', '2001-03-04']);
  expect(first.items[1]).toMatchObject({
    ...{ currency: 'EUR', taken_at: '2001-03-04T00:00:00.000Z', without: ['XRP'] },
    total: { amount: '500.00', currency: 'EUR' },
    assets: [
      {
        ...{ asset: 'BTC', balance: { amount: '0.01500000' }, value: { amount: '500.00' } },
        price: { price: '33333.33', sources: [{ source: 'a' }, { source: 'b' }] },
      },
      { asset: 'XRP', price: null, value: null },
    ],
  });
  const second = await history({ limit: '2', cursor: first.next_cursor ?? '' });
  expect(second.items.map(({ day }) => day)).toEqual(['2001-03-03']);
  expect(second.next_cursor).toBeNull();
  const one = await history({ from: '2001-03-04', to: '2001-03-04', asset: 'XRP' });
  expect(one.items.map(({ assets }) => assets.length)).toEqual([1]);
  expect((await read(person, '/v1/crypto/balance-history', { from: 'today' })).status).toBe(400);
  expect((await read(await bank.customer(), '/v1/crypto/balance-history')).as(History).items).toEqual([]);
});

const Watched = z.looseObject({
  asset: z.string(),
  price: z.looseObject({ price: z.string() }).nullable(),
  breaker: z.looseObject({ price: z.string() }).nullable(),
});

test('administrators see why a coin is not traded, and reset its breaker', async () => {
  // a coin that nobody offers here: no worker asks for its price
  const RESET = '/v1/admin/crypto/breakers/XLM/reset';
  await bank.asOwner(
    `insert into price_sources (source, asked_at) values ('one', now()), ('two', now()) on conflict do nothing`,
  );
  await bank.asOwner(
    `insert into source_prices (asset, currency, source, price, told_at)
       values ('XLM', 'EUR', 'one', 0.5, now()), ('XLM', 'EUR', 'two', 0.5, now())
       on conflict (asset, currency, source) do update set told_at = now()`,
  );
  await bank.asOwner(
    `insert into coin_prices (asset, currency, price, priced_at, sources, breaker_opened_at, breaker_price)
       values ('XLM', 'EUR', 0.1, now(), '[{"source": "one", "price": "0.1", "at": "2026-01-01T00:00:00Z"}, {"source": "two", "price": "0.1", "at": "2026-01-01T00:00:00Z"}]', now(), 0.5)`,
  );
  const watcher = await bank.admin('crypto:read');
  const seen = (await read(watcher, '/v1/admin/crypto/prices')).as(z.object({ items: z.array(Watched) }));
  expect(seen.items.find(({ asset }) => asset === 'XLM')).toMatchObject({
    ...{ price: { price: '0.1' }, breaker: { price: '0.5' } },
    sources: [
      { source: 'one', price: '0.5', stale: false, used: true },
      { source: 'two', used: true },
    ],
  });
  expect((await call(watcher, 'POST', RESET)).status).toBe(403);
  const admin = await bank.admin('crypto:write');
  expect((await call(admin, 'POST', RESET)).as(Watched)).toMatchObject({
    price: { price: '0.5' },
    breaker: null,
  });
  expect(await call(admin, 'POST', RESET)).toMatchObject({
    status: 409,
    body: { code: 'crypto_breaker_closed' },
  });
  expect((await call(admin, 'POST', '/v1/admin/crypto/breakers/NIL/reset')).status).toBe(404);
});
