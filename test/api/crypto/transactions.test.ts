/** The history of coins over the API: its shape, its pages, its filters, and whose it is. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ToldDeposit } from '../../../db/queries/crypto/deposits.ts';
import { call, Listed } from '../../support/bank/accounts.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { arrived, dropped, vaultOf } from '../../support/custodian/told.ts';

let bank: Bank;
beforeAll(() => {
  bank = openBank();
});
afterAll(() => bank.close());

const PATH = '/v1/crypto/transactions';

async function list(person: Person, query: Record<string, string> = {}) {
  return (await call(person, 'GET', PATH, undefined, { query })).as(Listed);
}
const settle = (told: ToldDeposit) =>
  bank.asOwner('select crypto_deposit_advance($1::jsonb)', [JSON.stringify(told)]);

/** Somebody with two deposits, of which the second was taken back. */
async function holder(): Promise<{ readonly person: Person; readonly second: ToldDeposit }> {
  const person = await bank.customer();
  const vault = await vaultOf(bank, person.id);
  const second = arrived(vault, { chain_amount: '50000001' });
  for (const told of [arrived(vault), second, dropped(second)]) await settle(told);
  return { person, second };
}

test('coins that arrive and are taken back are lines of their owner, and of nobody else', async () => {
  const [{ person, second }, { person: stranger }] = [await holder(), await holder()];
  const { items, next_cursor } = await list(person);
  const place = { asset: 'BTC', part: 'principal', network: 'bitcoin', tx_hash: second.tx_hash };
  const amount = { amount: '0.50000001', asset: 'BTC' };
  expect(items).toMatchObject([
    {
      ...{ ...place, sequence: '3', type: 'deposit_reversed', direction: 'debit', amount },
      balance_after: { amount: '0.01500000', asset: 'BTC' },
    },
    {
      ...{ ...place, sequence: '2', type: 'deposit', direction: 'credit', amount },
      balance_after: { amount: '0.51500001', asset: 'BTC' },
    },
    { sequence: '1', type: 'deposit', balance_after: { amount: '0.01500000', asset: 'BTC' } },
  ]);
  expect(items[0]?.['deposit_id']).toBe(items[1]?.['deposit_id']);
  expect(next_cursor).toBeNull();
  // a cursor says where to read on, not of whom
  const { next_cursor: cursor } = await list(person, { limit: '1' });
  const ids = items.map(({ id }) => id);
  const theirs = await list(stranger, { cursor: cursor ?? '' });
  expect(theirs.items.filter(({ id }) => ids.includes(id))).toEqual([]);
});

test('pages and filters meet: each entry once, from a time on and before another', async () => {
  const { person } = await holder();
  const { items: all } = await list(person);
  const [first, second, third] = [await list(person, { limit: '1' }), all[1], all[2]];
  const rest = await list(person, { limit: '2', cursor: first.next_cursor ?? '' });
  expect([...first.items, ...rest.items]).toEqual(all);
  expect(rest.next_cursor).toBeNull();
  expect((await list(person, { type: 'deposit', asset: 'BTC' })).items).toEqual([second, third]);
  expect((await list(person, { asset: 'ETH' })).items).toEqual([]);
  const at = String(third?.['booked_at']);
  const since = all.filter(({ booked_at }) => String(booked_at) >= at);
  expect((await list(person, { from: at })).items).toEqual(since);
  const before = all.filter(({ booked_at }) => String(booked_at) < String(all[0]?.['booked_at']));
  const to = String(all[0]?.['booked_at']);
  expect((await list(person, { to })).items).toEqual(before);
  // the earlier of both counts
  expect((await list(person, { to: at, cursor: first.next_cursor ?? '' })).items).toEqual([]);
});

test.each([
  ['a coin that is no code', { asset: 'btc' }],
  ['a type that does not exist', { type: 'gift' }],
  ['a day instead of a time', { from: '2026-03-01' }],
  ['a cursor of another list', { cursor: Buffer.from('["crypto-deposits","x"]').toString('base64url') }],
])('%s is a fault of the request', async (_name, query) => {
  const person = await bank.customer();
  const { status } = await person.client.call('GET', PATH, { token: person.token, query });
  expect(status).toBe(400);
});
