/** Buying coins over the API: what a quote says, what an order does, and what is refused. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { call, Listed } from '../../support/bank/accounts.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { payerWith } from '../../support/bank/transfers.ts';
import { newKey } from '../../support/client.ts';
import { until } from '../../support/until.ts';

let bank: Bank;
let buyer: Person;
let account: string;
beforeAll(async () => {
  bank = openBank();
  await bank.asOwner(`update crypto_assets set enabled = true where asset = 'BTC'`);
  const payer = await payerWith(bank, '1000.00');
  [buyer, account] = [payer.customer, payer.from.id];
  await until(async () => (await quote(euros('50.00'))).status === 200);
});
afterAll(() => bank.close());

const [QUOTES, ORDERS] = ['/v1/crypto/quotes', '/v1/crypto/orders'];
const Quote = z.looseObject({ id: z.uuid(), receive: z.object({ amount: z.string(), asset: z.string() }) });
const Order = z.looseObject({ id: z.uuid(), status: z.string(), transaction_id: z.string().nullable() });

const euros = (amount: string) => ({ spend: { amount, currency: 'EUR' } });
const quote = (amount: object, more: object = {}, person = buyer, options: object = {}) =>
  call(
    person,
    'POST',
    QUOTES,
    { side: 'buy', asset: 'BTC', account_id: account, ...amount, ...more },
    options,
  );
const order = (id: string, person = buyer, options: object = {}) =>
  call(person, 'POST', ORDERS, { quote_id: id }, options);
const orderOf = async (id: string) => (await call(buyer, 'GET', `${ORDERS}/${id}`)).as(Order);

test('a quote says all its parts, an order does just that, and both sides show it', async () => {
  const answer = await quote(euros('500.00'));
  expect(answer).toMatchObject({
    status: 200,
    body: {
      ...{ side: 'buy', asset: 'BTC', account_id: account, spend: { amount: '500.00', currency: 'EUR' } },
      ...{ subtotal: { amount: '500.00', currency: 'EUR' }, fee: { amount: '0.00', currency: 'EUR' } },
      ...{ spread_bps: 100, spread: { asset: 'BTC' } },
    },
  });
  const { sources } = answer.as(z.looseObject({ sources: z.array(z.looseObject({ source: z.string() })) }));
  expect(sources.length).toBeGreaterThanOrEqual(2);
  const { id, receive } = answer.as(Quote);

  const key = newKey();
  const placed = await order(id, buyer, { key });
  expect(placed).toMatchObject({ status: 201, body: { quote_id: id, receive, failure_code: null } });
  const made = placed.as(Order);
  // the same key is the same order, another one finds the quote used
  expect((await order(id, buyer, { key })).as(Order).id).toBe(made.id);
  expect(await order(id)).toMatchObject({ status: 409, body: { code: 'quote_used' } });

  await until(async () => (await orderOf(made.id)).status === 'filled');
  const { transaction_id } = await orderOf(made.id);
  const { items } = (await call(buyer, 'GET', '/v1/crypto/transactions')).as(Listed);
  expect(items).toMatchObject([
    {
      id: transaction_id,
      type: 'buy',
      direction: 'credit',
      amount: receive,
      order_id: made.id,
      deposit_id: null,
    },
  ]);
  expect((await call(buyer, 'GET', '/v1/crypto/transactions?type=buy')).as(Listed).items).toEqual(items);
  const entries = (await call(buyer, 'GET', `/v1/accounts/${account}/transactions`)).as(Listed).items;
  expect(entries[0]).toMatchObject({
    ...{ id: transaction_id, direction: 'debit', amount: { amount: '500.00', currency: 'EUR' } },
    description: `Bought ${receive.amount} BTC`,
  });
  const filters = `${ORDERS}?asset=BTC&side=buy&status=filled`;
  expect((await call(buyer, 'GET', filters)).as(Listed).items.map((item) => item.id)).toEqual([made.id]);
  expect((await call(buyer, 'GET', `${ORDERS}?side=sell`)).as(Listed).items).toEqual([]);
  await until(async () => {
    const feed = (await call(buyer, 'GET', '/v1/notifications')).as(Listed).items;
    return feed.some(({ body }) =>
      String(body).includes(`You have bought ${receive.amount} BTC for 500.00 EUR`),
    );
  });
});

test('another customer has none of it', async () => {
  const other = await bank.customer();
  const mine = (await quote({ receive: { amount: '0.0005', asset: 'BTC' } })).as(Quote);
  expect(mine.receive).toEqual({ amount: '0.00050000', asset: 'BTC' });
  expect(await order(mine.id, other)).toMatchObject({ status: 404 });
  expect(await quote(euros('50.00'), {}, other)).toMatchObject({ status: 404 });
  const made = (await order(mine.id)).as(Order);
  expect(await call(other, 'GET', `${ORDERS}/${made.id}`)).toMatchObject({ status: 404 });
  expect((await call(other, 'GET', ORDERS)).as(Listed).items).toEqual([]);
});

describe('a wish that is at fault names its field', () => {
  test.each<[string, object, string]>([
    [
      'both sides',
      { spend: { amount: '5', currency: 'EUR' }, receive: { amount: '1', asset: 'BTC' } },
      '/spend',
    ],
    ['no side', {}, '/spend'],
    ['nothing', { spend: { amount: '0.00', currency: 'EUR' } }, '/spend/amount'],
    ['less than nothing', { spend: { amount: '-1.00', currency: 'EUR' } }, '/spend/amount'],
    ['too many digits', { spend: { amount: '1.001', currency: 'EUR' } }, '/spend/amount'],
    ['another currency than the account’s', { spend: { amount: '50', currency: 'USD' } }, '/spend/currency'],
    ['coins to spend on coins', { spend: { amount: '1', asset: 'BTC' } }, '/spend/asset'],
    ['money to receive for money', { receive: { amount: '50', currency: 'EUR' } }, '/receive/currency'],
    ['another coin', { receive: { amount: '1', asset: 'LTC' } }, '/receive/asset'],
    ['a coin that is none', { ...euros('50.00'), asset: 'EUR' }, '/asset'],
    ['a side that is none', { ...euros('50.00'), side: 'swap' }, '/side'],
    ['another field', { ...euros('50.00'), price: '1' }, '/price'],
  ])('%s', async (_name, wish, pointer) => {
    const answer = await quote(wish);
    expect(answer.status).toBe(400);
    const { errors } = answer.as(z.looseObject({ errors: z.array(z.looseObject({ pointer: z.string() })) }));
    expect(errors.map((error) => error.pointer)).toContain(pointer);
  });
});

test('what the terms and the account do not allow is refused with its figures', async () => {
  expect(await quote(euros('9.99'))).toMatchObject({
    status: 409,
    body: { code: 'order_too_small', min_order: { amount: '10.00', currency: 'EUR' }, max_order: null },
  });
  expect(await quote(euros('50.00'), { asset: 'ETH' })).toMatchObject({
    status: 409,
    body: { code: 'crypto_asset_unavailable' },
  });
  const { customer: poor, from: little } = await payerWith(bank, '49.99');
  const large = (await quote(euros('50.00'), { account_id: little.id }, poor)).as(Quote);
  expect(await order(large.id, poor)).toMatchObject({ status: 409, body: { code: 'insufficient_funds' } });
  // 1,000.00 are the most that a new customer may buy in a day
  const { customer: person, from: rich } = await payerWith(bank, '5000.00');
  const most = (await quote(euros('999.00'), { account_id: rich.id }, person)).as(Quote);
  expect(await order(most.id, person)).toMatchObject({ status: 201 });
  const more = (await quote(euros('10.00'), { account_id: rich.id }, person)).as(Quote);
  expect(await order(more.id, person)).toMatchObject({
    status: 409,
    body: {
      ...{ code: 'limit_exceeded' },
      limit: {
        ...{ subject: 'user', period: 'PT24H', currency: 'EUR' },
        ...{ amount: '1000.00', used: '999.00', remaining: '1.00' },
      },
    },
  });
});
