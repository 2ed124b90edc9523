/** Deposits over the API: what the custodian's chain brings to a wallet is shown to its customer, credited, and told. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomInt, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { call, Listed } from '../../support/bank/accounts.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { openWatch } from '../../support/bank/watch.ts';
import { SignedBody } from '../../support/custodian/control.ts';
import { custodianControl } from '../../support/custodian/shared.ts';
import { until } from '../../support/until.ts';

let bank: Bank;
beforeAll(async () => {
  bank = openBank();
  await bank.asOwner(`update crypto_assets set enabled = true where asset = 'BTC'`);
  await bank.asOwner(`update asset_networks set enabled = true where asset = 'BTC'`);
});
afterAll(() => bank.close());

const Deposits = z.object({
  items: z.array(
    z.looseObject({
      ...{ status: z.string(), confirmations: z.int(), tx_hash: z.string() },
      amount: z.object({ amount: z.string(), asset: z.string() }),
    }),
  ),
});
const Wallets = z.object({ items: z.array(z.looseObject({ address: z.string() })) });

/** The address of somebody's wallet, once the custodian has opened it. */
async function addressOf(person: Person): Promise<string> {
  const query = { asset: 'BTC', status: 'active' };
  await call(person, 'GET', '/v1/crypto/assets', undefined, { query: { asset: 'BTC' } });
  const open = async () =>
    (await call(person, 'GET', '/v1/crypto/wallets', undefined, { query })).as(Wallets).items;
  await until(async () => (await open()).length > 0);
  return (await open())[0]?.address ?? '';
}

async function deposits(person: Person, query: Record<string, string> = {}) {
  return (await call(person, 'GET', '/v1/crypto/deposits', undefined, { query })).as(Deposits).items;
}

/** Sends coins to an address on the chain of the custodian. */
async function arrives(
  address: string,
  amount: string,
): Promise<{ readonly id: string; readonly hash: string }> {
  const sent = await custodianControl('POST', '/deposits', { address, asset: 'BTC_TEST', amount });
  const { tx_id: id, tx_hash: hash } = z.looseObject({ tx_id: z.string(), tx_hash: z.string() }).parse(sent);
  return { id, hash };
}
const blocks = (count: number) => custodianControl('POST', '/blocks', { network: 'bitcoin', count });

/** Has the custodian tell of a transaction, with a signature. What it says of it is not believed, but looked up. */
async function tell(person: Person, id: string): Promise<number> {
  const event = {
    ...{ id: randomUUID(), eventType: 'transaction.status.updated', resourceId: id },
    data: { id, status: 'COMPLETED', numOfConfirmations: 99, amountInfo: { amount: '21' } },
  };
  const signed = await custodianControl('POST', '/webhooks/sign', { body: JSON.stringify(event) });
  const { body_base64, headers } = SignedBody.parse(signed);
  const bytes = new Uint8Array(Buffer.from(body_base64, 'base64'));
  return (await person.client.call('POST', '/v1/crypto/webhooks/custodian', { bytes, headers })).status;
}

test('coins that arrive are pending, then credited and told, however often the custodian tells of them', async () => {
  const [person, stranger] = [await bank.customer(), await bank.customer()];
  const { id, hash } = await arrives(await addressOf(person), '0.01500001');
  expect(await tell(person, id)).toBe(200);
  await until(async () => (await deposits(person)).length > 0);
  expect(await deposits(person)).toMatchObject([
    {
      ...{ status: 'pending', asset: 'BTC', network: 'bitcoin', tx_hash: hash, required_confirmations: 3 },
      ...{ amount: { amount: '0.01500001', asset: 'BTC' }, credited_at: null },
    },
  ]);
  await blocks(3);
  expect(await Promise.all(Array.from({ length: 20 }, () => tell(person, id)))).toEqual(
    Array.from({ length: 20 }, () => 200),
  );
  await until(async () => (await deposits(person, { status: 'credited' })).length > 0);
  expect(await deposits(person, { asset: 'BTC', network: 'bitcoin' })).toHaveLength(1);
  expect(await deposits(person, { status: 'pending' })).toEqual([]);
  expect(await deposits(stranger)).toEqual([]);
  const [account] = await bank.asOwner(
    `select posted::text, kind from accounts where owner_id = $1 and asset = 'BTC'`,
    [person.id],
  );
  expect(account).toEqual({ posted: '1500001', kind: 'coin' });
  // it is no bank account
  const accounts = (await call(person, 'GET', '/v1/accounts')).as(Listed).items;
  expect(accounts.map(({ currency }) => currency)).not.toContain('BTC');
  await until(async () => (await told(person)).includes('crypto_deposit'));
});

test('what no webhook tells is found by asking', async () => {
  const person = await bank.customer();
  await arrives(await addressOf(person), '0.5');
  await blocks(3);
  await until(async () => (await deposits(person, { status: 'credited' })).length > 0);
});

test('what the watch holds is under review without a word of why, and is credited by itself once its flag is cleared', async () => {
  const watch = await openWatch(bank);
  try {
    const person = await bank.customer();
    const amount = `0.0${String(randomInt(1_000_000, 9_999_999))}`;
    const condition = { left: { field: 'amount' }, op: 'eq', right: { value: amount } };
    const rule = await watch.liveRule('', { applies_to: ['crypto_deposit'], condition });
    await arrives(await addressOf(person), amount);
    await blocks(3);
    await until(async () => (await deposits(person, { status: 'under_review' })).length > 0);
    expect(JSON.stringify(await deposits(person))).not.toMatch(/aml|rule|flag|watch|fault/i);
    const [flag] = await bank.asOwner(
      `select id, held, subject_type, customer_id from aml_flags where rule_id = $1`,
      [rule],
    );
    expect(flag).toMatchObject({ held: true, subject_type: 'crypto_deposit', customer_id: person.id });
    expect(await told(person)).toEqual([]);
    const reviewer = await bank.admin('aml:review');
    const path = `/v1/admin/aml/flags/${String(flag?.['id'])}/resolve`;
    const resolved = await call(reviewer, 'POST', path, { resolution: 'cleared', note: 'A known payer' });
    expect(resolved.status).toBe(200);
    await until(async () => (await deposits(person, { status: 'credited' })).length > 0);
    await until(async () => (await told(person)).includes('crypto_deposit'));
    await bank.expectBooksBalanced();
  } finally {
    await watch.close();
  }
});

/** The types of what somebody was told in the app. */
async function told(person: Person): Promise<string[]> {
  const { items } = (await call(person, 'GET', '/v1/notifications')).as(
    z.object({ items: z.array(z.looseObject({ type: z.string() })) }),
  );
  return items.map(({ type }) => type);
}
