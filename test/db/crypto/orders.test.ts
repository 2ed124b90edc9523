/**
 * Orders of coins in the database: a quote is what happens, whatever the market does; each order is booked whole and once, or not at
 * all, and nobody can promise or spend what is not there.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  cryptoOrdersOf,
  makeQuote,
  openOrder,
  overdueOrders,
  type MadeQuote,
} from '../../../db/queries/crypto/orders.ts';
import { sweep } from '../../../db/queries/platform/sweeps.ts';
import { learnAssets } from '../../../domain/assets.ts';
import { CryptoQuoteId } from '../../../domain/ids.ts';
import { Refusal } from '../../../domain/refusals.ts';
import { orderRecovery } from '../../../services/crypto/orders.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { coinFigures } from '../../support/bank/coin-figures.ts';
import { receiveCoins } from '../../support/bank/coins.ts';
import { insertFeeRule } from '../../support/bank/pricing.ts';
import { brokenChecks } from '../../support/bank/proof.ts';
import {
  fill,
  money,
  mustTake,
  newTrader,
  place,
  quoteOf,
  quoteSpending,
  setCoinPrice,
  verdictOf,
  type Trader,
} from '../../support/bank/trades.ts';
import { ownBank } from '../../support/stack/database.ts';
import { rows } from '../../support/stack/sql.ts';

let books: Books;
beforeAll(async () => {
  learnAssets([{ code: 'SOL', scale: 9, kind: 'crypto' }]);
  books = openBooks(await ownBank());
  await books.asOwner(
    `update crypto_assets set enabled = true, spread_bps = 100 where asset in ('BTC', 'SOL')`,
  );
  await books.asOwner('delete from crypto_limits');
  await insertFeeRule(books, { purpose: 'crypto_order', rateBps: 100 });
});
beforeEach(async () => {
  await setCoinPrice(books, 'BTC', '60000');
  await setCoinPrice(books, 'SOL', '150');
});
afterAll(() => books.close());

const { held, house } = coinFigures(() => books.em());
const buy = (trader: Trader, spend: string) => quoteSpending(books, trader, 'buy', 'BTC', spend);
const sell = (trader: Trader, spend: string) => quoteSpending(books, trader, 'sell', 'BTC', spend);
const rolesOf = async (asset: string) => ({
  ...{ fees: await house('fees', asset), position: await house('crypto_position', asset) },
  spread: await house('fx_spread', asset),
});
const told = (trader: Trader) =>
  rows<{ state: string }>(
    books.em(),
    `select state from events where type = 'crypto_order' and user_id = $1`,
    [trader.id],
  );
/** What the coin account of a trader holds back. */
const heldBack = async (trader: Trader) =>
  (
    await rows<{ held: string }>(
      books.em(),
      `select held::text from accounts where owner_id = $1 and kind = 'coin'`,
      [trader.id],
    )
  )[0]?.held;

test('a buy takes money and its fee, gives coins, and passes through the positions of the bank', async () => {
  const trader = await newTrader(books, '1000.00 EUR');
  const [eur, btc] = [await rolesOf('EUR'), await rolesOf('BTC')];
  const quote = await buy(trader, '500.00 EUR');
  expect(quote).toMatchObject({ gross: 50_000n, fee: 500n, coins: 816_750n, midPrice: '60000' });
  expect(quote.sources.map(({ source }) => source)).toEqual(['one', 'two']);
  const order = await place(books, trader, quote.id);
  expect(order).toMatchObject({ status: 'open', quoteId: quote.id, transactionId: null, finishedAt: null });
  expect(await books.balance(trader.account)).toEqual({ posted: 100_000n, held: 50_000n });
  expect(await fill(books, order.id)).toEqual({ status: 'filled', failure: null });
  expect(await books.balance(trader.account)).toEqual({ posted: 50_000n, held: 0n });
  expect(await held(trader.id)).toBe(816_750n);
  expect(await rolesOf('EUR')).toEqual({ ...eur, fees: eur.fees + 500n, position: eur.position + 49_500n });
  expect(await rolesOf('BTC')).toEqual({
    ...btc,
    ...{ position: btc.position - 825_000n, spread: btc.spread + 8_250n },
  });
  expect(await told(trader)).toEqual([{ state: 'bought' }]);
  expect(await brokenChecks(books.em())).toEqual([]);
});

test('a sale takes coins, gives money, and its fee comes off what is got', async () => {
  const trader = await newTrader(books, '0.00 EUR');
  await receiveCoins(books, trader.id, 'BTC', 3_000_000n);
  const [eur, btc] = [await rolesOf('EUR'), await rolesOf('BTC')];
  const quote = await sell(trader, '0.01 BTC');
  expect(quote).toMatchObject({ gross: 59_400n, fee: 594n, coins: 1_000_000n });
  const order = await place(books, trader, quote.id);
  expect(await heldBack(trader)).toBe('1000000');
  await fill(books, order.id);
  expect(await books.balance(trader.account)).toEqual({ posted: 58_806n, held: 0n });
  expect([await held(trader.id), await heldBack(trader)]).toEqual([2_000_000n, '0']);
  expect(await rolesOf('EUR')).toEqual({
    ...{ fees: eur.fees + 594n, position: eur.position - 60_000n, spread: eur.spread + 600n },
  });
  expect(await rolesOf('BTC')).toEqual({ ...btc, position: btc.position + 1_000_000n });
  const page = { asset: 'BTC', side: 'sell', status: 'filled', before: null, most: 5 };
  expect(await cryptoOrdersOf.all(books.em(), { customer: trader.id, ...page })).toMatchObject([
    { id: order.id },
  ]);
  expect(await told(trader)).toEqual([{ state: 'sold' }]);
  expect(await brokenChecks(books.em())).toEqual([]);
});

test('in an account of another currency the rate is part of the price, and worth is counted in the base currency', async () => {
  await books.asOwner(
    `insert into fx_rates (id, base, quote, rate, spread_bps, valid_from, source)
     values (uuidv7(), 'EUR', 'USD', 1.1, 50, now() - interval '1 second', 'test')`,
  );
  const trader = await newTrader(books, '1100.00 USD');
  const quote = await buy(trader, '660.00 USD');
  expect(quote).toMatchObject({ gross: 66_000n, fee: 0n, coins: 985_000n, midPrice: '66000' });
  await fill(books, (await place(books, trader, quote.id)).id);
  const [kept] = await rows<{ worth: string }>(
    books.em(),
    'select round(worth, 6)::text as worth from crypto_quotes where id = $1',
    [quote.id],
  );
  expect(kept?.worth).toBe('60000.000000');
  const back = await sell(trader, '0.00985 BTC');
  expect(back).toMatchObject({ midPrice: '66000', gross: 64_034n });
  await fill(books, (await place(books, trader, back.id)).id);
  expect(await books.balance(trader.account)).toEqual({ posted: 110_000n - 66_000n + 64_034n, held: 0n });
  // the other direction has a rate of its own, which is stale: a sale does not ask for it, and a buy is refused
  await books.asOwner(
    `insert into fx_rates (id, base, quote, rate, spread_bps, valid_from, valid_until, source)
     values (uuidv7(), 'USD', 'EUR', 0.9, 50, now() - interval '2 hours', now() - interval '1 hour', 'test')`,
  );
  expect(await verdictOf(sell(trader, '0.001 BTC'))).toBe('done');
  expect(await verdictOf(buy(trader, '50.00 USD'))).toBe('rate_unavailable');
  const other = await newTrader(books, '100.00 GBP');
  expect(await verdictOf(buy(other, '50.00 GBP'))).toBe('rate_unavailable');
  expect(await brokenChecks(books.em())).toEqual([]);
});

describe('a quote is a contract', () => {
  test.each([
    ['rises', '66000'],
    ['falls', '54000'],
  ])('the price %s by a tenth: the order is at the price that was quoted', async (_name, price) => {
    const trader = await newTrader(books, '500.00 EUR');
    const quote = await buy(trader, '500.00 EUR');
    await setCoinPrice(books, 'BTC', price);
    await fill(books, (await place(books, trader, quote.id)).id);
    expect(await held(trader.id)).toBe(816_750n);
  });

  test('nor does a breaker that opens, or a price that grows old, break it', async () => {
    const trader = await newTrader(books, '500.00 EUR');
    const quote = await buy(trader, '500.00 EUR');
    await books.asOwner(
      `update coin_prices set breaker_opened_at = now(), breaker_price = 1 where asset = 'BTC'`,
    );
    expect(await verdictOf(buy(trader, '500.00 EUR'))).toBe('price_unavailable');
    await setCoinPrice(books, 'BTC', '60000', 120);
    expect(await verdictOf(buy(trader, '500.00 EUR'))).toBe('price_unavailable');
    await books.asOwner(`delete from coin_prices where asset = 'BTC'`);
    expect(await verdictOf(buy(trader, '500.00 EUR'))).toBe('price_unavailable');
    await fill(books, (await place(books, trader, quote.id)).id);
    expect(await held(trader.id)).toBe(816_750n);
  });

  test('it is used once, by its owner, in time', async () => {
    const [trader, other] = [await newTrader(books, '500.00 EUR'), await newTrader(books, '500.00 EUR')];
    const quote = await buy(trader, '100.00 EUR');
    expect(await verdictOf(place(books, other, quote.id))).toBe('not_found');
    expect(await verdictOf(place(books, other, CryptoQuoteId.parse(randomUUID())))).toBe('not_found');
    const verdicts = await Promise.all(
      Array.from({ length: 10 }, () => verdictOf(place(books, trader, quote.id))),
    );
    expect(verdicts.toSorted()).toEqual(['done', ...Array.from({ length: 9 }, () => 'quote_used')]);
    expect((await books.balance(trader.account)).held).toBe(10_000n);
    const late = await buy(trader, '100.00 EUR');
    const [life] = await rows<{ seconds: string }>(
      books.em(),
      'select extract(epoch from expires_at - created_at)::text as seconds from crypto_quotes where id = $1',
      [late.id],
    );
    expect(Number(life?.seconds)).toBe(60);
    await books.asOwner('update crypto_quotes set expires_at = bank_now() where id = $1', [late.id]);
    expect(await verdictOf(place(books, trader, late.id))).toBe('quote_expired');
  });

  test('asked for again by its id, it is the same, whatever the price is now', async () => {
    const trader = await newTrader(books, '500.00 EUR');
    const [id, wanted] = [randomUUID(), { side: 'buy', asset: 'BTC', spend: money('100.00 EUR') } as const];
    const first = await quoteOf(books, trader, wanted, id);
    await setCoinPrice(books, 'BTC', '61000');
    expect(await quoteOf(books, trader, wanted, id, true)).toEqual(first);
    // a twin that was not known to be one
    expect(await quoteOf(books, trader, wanted, id, false)).toEqual(first);
  });

  test('what nobody has used is swept a month later, and what was used is kept', async () => {
    const trader = await newTrader(books, '500.00 EUR');
    const [used, unused] = [await buy(trader, '100.00 EUR'), await buy(trader, '100.00 EUR')];
    await place(books, trader, used.id);
    await books.asOwner(
      `update crypto_quotes set expires_at = bank_now() - interval '31 days' where user_id = $1`,
      [trader.id],
    );
    await sweep(books.em());
    expect(
      await rows(books.em(), 'select id from crypto_quotes where id = any ($1)', [[used.id, unused.id]]),
    ).toEqual([{ id: used.id }]);
  });
});

describe('no quote is given', () => {
  test('of a coin that is not offered, for somebody else’s account, or for what is too small or too large', async () => {
    const [trader, other] = [await newTrader(books, '500.00 EUR'), await newTrader(books, '500.00 EUR')];
    const spend = money('50.00 EUR');
    expect(await verdictOf(quoteOf(books, trader, { side: 'buy', asset: 'LTC', spend }))).toBe(
      'crypto_asset_unavailable',
    );
    expect(
      await verdictOf(quoteOf(books, trader, { side: 'buy', asset: 'BTC', spend, account: other.account })),
    ).toBe('not_found');
    expect(await verdictOf(sell(trader, '0.00000010 BTC'))).toBe('amount_not_convertible');
    await books.asOwner(`update crypto_assets set min_order = 1000, max_order = 100000 where asset = 'BTC'`);
    const refused: unknown = await buy(trader, '9.99 EUR').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Refusal);
    expect(refused).toMatchObject({
      code: 'order_too_small',
      options: { members: { min_order: { amount: '10.00', currency: 'EUR' } } },
    });
    expect(await verdictOf(buy(trader, '10.00 EUR'))).toBe('done');
    expect(await verdictOf(buy(trader, '1000.00 EUR'))).toBe('done');
    expect(await verdictOf(buy(trader, '1000.01 EUR'))).toBe('order_too_large');
    // a sale is worth what is got before the fee
    expect(
      await verdictOf(quoteOf(books, trader, { side: 'sell', asset: 'BTC', spend: money('0.0167 BTC') })),
    ).toBe('done');
    await books.asOwner(`update crypto_assets set max_order = null where asset = 'BTC'`);
  });

  test('that a wrong program makes up', async () => {
    const [trader, other] = [await newTrader(books, '500.00 EUR'), await newTrader(books, '500.00 EUR')];
    const honest = await buy(trader, '100.00 EUR');
    const [source] = await rows<{ price_id: string }>(
      books.em(),
      'select price_id from crypto_quotes where id = $1',
      [honest.id],
    );
    const made = (more: Partial<MadeQuote> = {}): MadeQuote => ({
      ...{
        id: CryptoQuoteId.parse(randomUUID()),
        user_id: trader.id,
        side: 'buy',
        account_id: trader.account,
      },
      ...{ currency: 'EUR', asset: 'BTC', gross: '10000', fee: '100', coins: '163350', mid_price: '60000' },
      ...{ price: honest.price, price_id: source?.price_id ?? '' },
      ...more,
    });
    const keep = (quote: MadeQuote) => makeQuote.one(books.em(), { quote });
    expect(await keep(made())).toMatchObject({ refusal: null });
    const { exchange } = honest.price;
    if (exchange === null) throw new Error('a trade without an exchange');
    const exchanged = (mid: string, spread: string) => ({
      ...honest.price,
      exchange: { ...exchange, mid, spread },
    });
    const [old] = await books.asOwner(
      `insert into used_prices (asset, currency, price, priced_at, sources) values ('BTC', 'EUR', 60000, now() - interval '2 minutes', $1) returning id::text`,
      [JSON.stringify(honest.sources)],
    );
    const lies: Partial<MadeQuote>[] = [
      { coins: '163351' },
      { coins: '165001', price: exchanged('165001', '0') },
      { coins: '165000', price: exchanged('165000', '1') },
      { price: exchanged('164999.5', '1649.5') },
      { price: exchanged('163349', '-1') },
      { price: { ...honest.price, exchange: null } },
      { mid_price: '59999.99' },
      { fee: '99' },
      { account_id: other.account },
      { asset: 'SOL' },
      { currency: 'USD' },
      { price_id: String(old?.['id']) },
      { side: 'sell' },
    ];
    for (const lie of lies) await expect(keep(made(lie))).rejects.toThrow(/what nobody may promise/);
    // in another currency without a rate there is no bound
    const pounds = await books.account(trader.id, 'GBP');
    await expect(keep(made({ currency: 'GBP', account_id: pounds }))).rejects.toThrow(
      /what nobody may promise/,
    );
    // and nobody writes past the function
    await expect(
      rows(books.em(), `update crypto_quotes set coins = 1 where id = $1 returning id`, [honest.id]),
    ).rejects.toThrow(/permission denied/);
  });
});

describe('an order is refused, and nothing is held', () => {
  test('without the money or the coins', async () => {
    const trader = await newTrader(books, '100.00 EUR');
    await receiveCoins(books, trader.id, 'BTC', 1_000_000n);
    expect(await verdictOf(place(books, trader, (await buy(trader, '100.01 EUR')).id))).toBe(
      'insufficient_funds',
    );
    expect(await verdictOf(place(books, trader, (await sell(trader, '0.01000001 BTC')).id))).toBe(
      'insufficient_funds',
    );
    expect([await books.balance(trader.account), await heldBack(trader)]).toEqual([
      { posted: 10_000n, held: 0n },
      '0',
    ]);
  });

  test('from a blocked account, and of coins that must not go out', async () => {
    const trader = await newTrader(books, '100.00 EUR');
    await receiveCoins(books, trader.id, 'BTC', 1_000_000n);
    const [bought, sold] = [await buy(trader, '50.00 EUR'), await sell(trader, '0.01 BTC')];
    await books.asOwner(`update accounts set status = 'blocked' where id = $1`, [trader.account]);
    expect(await verdictOf(place(books, trader, bought.id))).toBe('account_blocked');
    await books.asOwner(`update crypto_assets set debits_stopped = true where asset = 'BTC'`);
    expect(await verdictOf(place(books, trader, sold.id))).toBe('debits_stopped');
    await books.asOwner(`update crypto_assets set debits_stopped = false where asset = 'BTC'`);
    expect(await heldBack(trader)).toBe('0');
  });

  test('above a limit, with what is used and what remains; what fails is given back', async () => {
    await books.asOwner(`insert into crypto_limits (operation, kyc_level, day) values ('buy', 0, 10000)`);
    const trader = await newTrader(books, '500.00 EUR');
    const first = await place(books, trader, (await buy(trader, '60.00 EUR')).id);
    const refused: unknown = await place(books, trader, (await buy(trader, '40.01 EUR')).id).catch(
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({
      code: 'limit_exceeded',
      options: {
        members: {
          limit: {
            ...{ subject: 'user', period: 'PT24H', currency: 'EUR' },
            ...{ amount: '100.00', used: '60.00', remaining: '40.00' },
          },
        },
      },
    });
    await books.asOwner(`update accounts set status = 'frozen' where id = $1`, [trader.account]);
    expect(await fill(books, first.id)).toEqual({ status: 'failed', failure: 'account_blocked' });
    await books.asOwner(`update accounts set status = 'open' where id = $1`, [trader.account]);
    expect(await verdictOf(place(books, trader, (await buy(trader, '100.00 EUR')).id))).toBe('done');
    await books.asOwner('delete from crypto_limits');
    expect(await brokenChecks(books.em())).toEqual([]);
  });

  test('thirty at once for more than half of the money each: one is taken', async () => {
    const trader = await newTrader(books, '100.00 EUR');
    const quotes = await Promise.all(Array.from({ length: 30 }, () => buy(trader, '60.00 EUR')));
    const verdicts = await Promise.all(quotes.map(({ id }) => verdictOf(place(books, trader, id))));
    expect(verdicts.filter((verdict) => verdict === 'done')).toHaveLength(1);
    expect(new Set(verdicts)).toEqual(new Set(['done', 'insufficient_funds']));
    expect(await books.balance(trader.account)).toEqual({ posted: 10_000n, held: 6_000n });
  });
});

describe('when it is to be carried out', () => {
  test('it is booked once, however many do it at once', async () => {
    const trader = await newTrader(books, '100.00 EUR');
    const { id } = await place(books, trader, (await buy(trader, '100.00 EUR')).id);
    expect(await openOrder.first(books.em(), { id })).toEqual({ userId: trader.id });
    const fills = await Promise.all(Array.from({ length: 10 }, () => fill(books, id)));
    expect(fills).toEqual(Array.from({ length: 10 }, () => ({ status: 'filled', failure: null })));
    expect(await held(trader.id)).toBe(163_350n);
    expect(await openOrder.first(books.em(), { id })).toBeUndefined();
    expect(await told(trader)).toEqual([{ state: 'bought' }]);
  });

  test.each([
    [
      'the account that is paid is closed',
      'sell',
      `update accounts set status = 'closed', closed_at = now() where id = $1`,
      'account_closed',
    ],
    [
      'the account that pays is frozen',
      'buy',
      `update accounts set status = 'frozen' where id = $1`,
      'account_blocked',
    ],
    [
      'the account that is paid would be too full',
      'sell',
      'update accounts set max_balance = 100 where id = $1',
      'balance_limit',
    ],
    [
      'the coin must not go out any more',
      'sell',
      `update crypto_assets set debits_stopped = true where asset = 'BTC' and $1::text is not null`,
      'debits_stopped',
    ],
  ] as const)(
    '%s: it fails, what was held is free, and that is for ever',
    async (_name, side, change, failure) => {
      const trader = await newTrader(books, side === 'buy' ? '100.00 EUR' : '0.00 EUR');
      await receiveCoins(books, trader.id, 'BTC', 1_000_000n);
      const quote = side === 'buy' ? await buy(trader, '100.00 EUR') : await sell(trader, '0.01 BTC');
      const { id } = await place(books, trader, quote.id);
      await books.asOwner(change, [trader.account]);
      expect(await fill(books, id)).toEqual({ status: 'failed', failure });
      await books.asOwner(
        `update accounts set status = 'open', max_balance = null where id = $1 and status <> 'closed'`,
        [trader.account],
      );
      await books.asOwner(`update crypto_assets set debits_stopped = false where asset = 'BTC'`);
      expect(await fill(books, id)).toEqual({ status: 'failed', failure });
      expect(await books.balance(trader.account)).toMatchObject({ held: 0n });
      expect([await heldBack(trader), await held(trader.id)]).toEqual(['0', 1_000_000n]);
      expect(await told(trader)).toEqual([{ state: 'failed' }]);
      expect(await verdictOf(place(books, trader, quote.id))).toBe('quote_used');
      expect(await brokenChecks(books.em())).toEqual([]);
    },
  );

  test('what had to be booked meanwhile has taken what was held: it fails, and the rest is free', async () => {
    const trader = await newTrader(books, '100.00 EUR');
    const { id } = await place(books, trader, (await buy(trader, '100.00 EUR')).id);
    await mustTake(books, trader.account, 1n);
    expect(await fill(books, id)).toEqual({ status: 'failed', failure: 'insufficient_funds' });
    expect(await books.balance(trader.account)).toEqual({ posted: 9_999n, held: 0n });
    expect(await told(trader)).toEqual([{ state: 'failed' }]);
    expect(await brokenChecks(books.em())).toEqual([]);
  });

  test('an order whose process is lost is found and started again', async () => {
    const trader = await newTrader(books, '100.00 EUR');
    const { id } = await place(books, trader, (await buy(trader, '100.00 EUR')).id);
    const late = () => overdueOrders.all(books.em(), { lateSeconds: 60, most: 1_000, after: null });
    expect((await late()).map((row) => row.id)).not.toContain(id);
    await books.asOwner(
      `update crypto_orders set created_at = created_at - interval '2 minutes' where id = $1`,
      [id],
    );
    expect((await late()).map((row) => row.id)).toContain(id);
    expect(await orderRecovery.orderOf(books.em(), id)).toEqual({ id, customerId: trader.id });
    await fill(books, id);
    expect(await orderRecovery.orderOf(books.em(), id)).toBeUndefined();
  });
});
