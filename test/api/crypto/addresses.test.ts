/** Addresses are checked before anything moves, and keys that are pasted instead are kept nowhere. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { call } from '../../support/bank/accounts.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';

let bank: Bank;
let person: Person;
beforeAll(async () => {
  bank = openBank();
  person = await bank.customer();
});
afterAll(() => bank.close());

const TAPROOT = 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr';
const check = (body: object) => call(person, 'POST', '/v1/crypto/addresses/check', body);

test('an address is valid on the chains that the bank sends on, or that are asked for', async () => {
  const asked = { asset: 'BTC', network: 'bitcoin', address: TAPROOT };
  const none = { memo: null, memo_type: null };
  expect((await check(asked)).body).toEqual({
    valid: false,
    reason: 'wrong_network',
    address: null,
    ...none,
  });
  expect((await check({ ...asked, chains: 'mainnet' })).body).toEqual({
    ...{ valid: true, reason: null, address: TAPROOT },
    ...none,
  });
});

test('an address is answered in the form in which it is kept, with the memo that it holds', async () => {
  const X = 'TVE26TYGhfLC7tQDno7G8dGtxSkYQn7hUfJEaehFF7D26Yc';
  const { body } = await check({ asset: 'XRP', network: 'ripple', address: X, chains: 'testnet' });
  const kept = { address: 'rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf', memo: '1337', memo_type: 'tag' };
  expect(body).toEqual({ valid: true, reason: null, ...kept });
  expect(await check({ asset: 'XRP', network: 'ripple', address: X, memo: '5' })).toMatchObject({
    body: { valid: false, reason: 'memo_conflict' },
  });
});

test('the contract of a token that the bank offers is no recipient, whichever coin is sent', async () => {
  const onTest = '0x1c7d4b196cb0c7b01d743fbc6116a902379c7238';
  const onMain = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
  for (const asset of ['USDC', 'USDT', 'ETH'])
    for (const [address, chains] of [
      [onTest, 'testnet'],
      [onMain, 'mainnet'],
    ])
      expect(await check({ asset, network: 'ethereum', address, chains })).toMatchObject({
        body: { valid: false, reason: 'contract_address' },
      });
});

test('a network that the coin does not move on is named', async () => {
  expect(await check({ asset: 'BTC', network: 'ethereum', address: TAPROOT })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/network', code: 'unknown' }] },
  });
  expect(await check({ asset: 'BTC', network: 'pigeon', address: TAPROOT })).toMatchObject({ status: 400 });
});

test('a key is refused, and no part of it is answered', async () => {
  const key = 'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA';
  const address = 'rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf';
  for (const [pointer, body] of [
    ['/address', { asset: 'BTC', network: 'bitcoin', address: key }],
    ['/memo', { asset: 'XRP', network: 'ripple', address, memo: key }],
  ] as const) {
    const refused = await check(body);
    expect(refused).toMatchObject({
      ...{ status: 400, body: { code: 'looks_like_a_secret', errors: [{ pointer }] } },
    });
    const parts = Array.from({ length: key.length - 7 }, (_, at) => key.slice(at, at + 8));
    expect(parts.filter((part) => refused.text.includes(part))).toEqual([]);
  }
});
