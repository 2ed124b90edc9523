/** How the back office sets coins up: what tightens counts at once, what loosens waits for a second administrator. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../../support/bank/accounts.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { approvedCall } from '../../support/bank/second-person.ts';

let bank: Bank;
let office: Person;
beforeAll(async () => {
  bank = openBank();
  office = await bank.admin('crypto:read', 'crypto:write');
});
afterAll(() => bank.close());

// no other test changes these
const COIN = '/v1/admin/crypto/assets/DOGE';
const NETWORK = '/v1/admin/crypto/networks/DOGE/dogecoin';
const STELLAR = '/v1/admin/crypto/networks/USDC/stellar';

const change = (path: string, body: object) => call(office, 'PATCH', path, body);
const agreed = (path: string, body: object) => approvedCall(bank, office, 'PATCH', path, { body });
const faultAt = (pointer: string, code: string) => ({
  status: 400,
  body: { code: 'invalid_request', errors: [{ pointer, code }] },
});

test('a new bank knows its coins and their networks, and offers none of them', async () => {
  const coin = await call(office, 'GET', '/v1/admin/crypto/assets/ETH');
  expect(coin.body).toMatchObject({
    code: 'ETH',
    name: 'Ether',
    scale: 18,
    enabled: false,
    updated_by: null,
  });
  const networks = await call(office, 'GET', '/v1/admin/crypto/networks', undefined, {
    query: { asset: 'USDC' },
  });
  expect(networks.body).toMatchObject({
    items: ['bnb', 'ethereum', 'polygon', 'solana', 'stellar'].map((network) => ({ asset: 'USDC', network })),
    next_cursor: null,
  });
  // the digits of a chain may be more than those of the books
  expect(await call(office, 'GET', '/v1/admin/crypto/networks/USDC/bnb')).toMatchObject({
    body: { scale: 18, custody_asset: 'USDC_BSC_TEST', min_deposit: { amount: '1.000000', asset: 'USDC' } },
  });
});

test('the networks of all coins are read page by page, each once', async () => {
  const seen: string[] = [];
  let cursor: unknown = null;
  do {
    const query = { limit: '4', ...(typeof cursor === 'string' ? { cursor } : {}) };
    const { body } = await call(office, 'GET', '/v1/admin/crypto/networks', undefined, { query });
    const page = body as { items: { asset: string; network: string }[]; next_cursor: unknown };
    seen.push(...page.items.map(({ asset, network }) => `${asset}/${network}`));
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen).toEqual(expect.arrayContaining(['BTC/bitcoin', 'USDT/tron', 'XLM/stellar']));
});

describe('the terms of a coin', () => {
  test('what tightens counts at once', async () => {
    const terms = {
      breaker_bps: 500,
      max_deviation_bps: 100,
      debits_stopped: true,
      min_order: { amount: '25.00', currency: 'EUR' },
    };
    expect(await change(COIN, { ...terms, max_order: { amount: '9000.00', currency: 'EUR' } })).toMatchObject(
      {
        status: 200,
        body: { ...terms, max_order: { amount: '9000.00', currency: 'EUR' }, updated_by: office.id },
      },
    );
  });

  test.each([
    { enabled: true },
    { spread_bps: 50 },
    { spread_bps: 250 },
    { min_order: { amount: '1.00', currency: 'EUR' } },
    { max_order: null },
    { breaker_bps: 9_999 },
    { max_deviation_bps: 9_999 },
    { debits_stopped: false },
  ])('%j waits for a second administrator', async (body) => {
    const done = await agreed(COIN, body);
    expect(done).toMatchObject({ status: 200, body });
    const [entry] = await bank.asOwner(
      `select after from audit_log where action = 'crypto_asset.updated' and subject_id = 'DOGE' order by id desc limit 1`,
    );
    expect(entry?.['after']).toMatchObject(body);
  });

  test('orders are in the base currency, and the smallest is not larger than the largest', async () => {
    expect(await change(COIN, { min_order: { amount: '1.00', currency: 'USD' } })).toMatchObject(
      faultAt('/min_order/currency', 'currency_mismatch'),
    );
    expect(
      await change(COIN, {
        ...{
          min_order: { amount: '50.00', currency: 'EUR' },
          max_order: { amount: '49.99', currency: 'EUR' },
        },
      }),
    ).toMatchObject(faultAt('/max_order', 'limits_conflict'));
    expect(await change(COIN, { spread_bps: 5_001 })).toMatchObject({ status: 400 });
  });
});

describe('a coin on a network', () => {
  test('what asks for more counts at once', async () => {
    const terms = { confirmations: 40, min_deposit: { amount: '2.00000000', asset: 'DOGE' } };
    expect(await change(NETWORK, terms)).toMatchObject({ status: 200, body: terms });
    expect(await change(STELLAR, { memo: 'required' })).toMatchObject({
      status: 200,
      body: { memo: 'required' },
    });
  });

  test.each([
    [NETWORK, { enabled: true }],
    [NETWORK, { confirmations: 1 }],
    [NETWORK, { min_deposit: { amount: '0.00000000', asset: 'DOGE' } }],
    [NETWORK, { min_withdrawal: { amount: '0.00000001', asset: 'DOGE' } }],
    [NETWORK, { custody_asset: 'DOGE_TEST_2' }],
    [NETWORK, { scale: 9 }],
    [STELLAR, { contract: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ' }],
    [STELLAR, { memo: 'none' }],
  ])('%s %j waits for a second administrator', async (path, body) => {
    expect(await agreed(path, body)).toMatchObject({ status: 200, body });
  });

  test('the name at the custodian stands for one coin on one network', async () => {
    expect(await change(NETWORK, { custody_asset: 'BTC_TEST' })).toMatchObject(
      faultAt('/custody_asset', 'taken'),
    );
  });

  test('what the network does not know is refused, and names the field', async () => {
    expect(await change(NETWORK, { memo: 'optional' })).toMatchObject(faultAt('/memo', 'not_applicable'));
    expect(await change(NETWORK, { contract: 'somewhere' })).toMatchObject(
      faultAt('/contract', 'not_an_address'),
    );
    expect(await change(NETWORK, { min_deposit: { amount: '1', asset: 'BTC' } })).toMatchObject(
      faultAt('/min_deposit/asset', 'asset_mismatch'),
    );
    expect(await change(NETWORK, { min_deposit: { amount: '1', asset: 'EUR' } })).toMatchObject(
      faultAt('/min_deposit/asset', 'unknown_asset'),
    );
    expect(await change(NETWORK, { min_deposit: { amount: '0.000000001', asset: 'DOGE' } })).toMatchObject(
      faultAt('/min_deposit/amount', 'too_many_digits'),
    );
    expect(await change(NETWORK, { min_withdrawal: { amount: '-1', asset: 'DOGE' } })).toMatchObject(
      faultAt('/min_withdrawal/amount', 'negative'),
    );
    expect(await call(office, 'GET', '/v1/admin/crypto/networks/DOGE/bitcoin')).toMatchObject({
      status: 404,
    });
    expect(await call(office, 'GET', '/v1/admin/crypto/assets/EUR')).toMatchObject({ status: 404 });
  });
});

test('nobody sets a coin up without the right to', async () => {
  const reader = await bank.admin('crypto:read');
  expect(await call(reader, 'PATCH', COIN, { breaker_bps: 1 })).toMatchObject({ status: 403 });
  expect(await call(await bank.customer(), 'GET', COIN)).toMatchObject({ status: 403 });
});
