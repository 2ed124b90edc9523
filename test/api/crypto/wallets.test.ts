/** Wallets over the API: opened when somebody asks for coins, once, and shown to their customer and to administrators. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { call, Listed } from '../../support/bank/accounts.ts';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { Vaults } from '../../support/custodian/control.ts';
import { custodianControl } from '../../support/custodian/shared.ts';
import { until } from '../../support/until.ts';

let bank: Bank;
let office: Person;
beforeAll(async () => {
  bank = openBank();
  office = await bank.admin('crypto:read', 'crypto:write');
  await bank.asOwner(`update crypto_assets set enabled = true where asset in ('BTC', 'XRP')`);
  await bank.asOwner(
    `update asset_networks set enabled = true where (asset, network) in (('BTC', 'bitcoin'), ('XRP', 'ripple'))`,
  );
});
afterAll(() => bank.close());

const Wallet = z.looseObject({
  id: z.uuid(),
  asset: z.string(),
  network: z.string(),
  status: z.string(),
  address: z.string().nullable(),
  memo: z.string().nullable(),
});
const Compared = z.looseObject({ difference: z.string() });
const Assets = z.object({
  items: z.array(z.looseObject({ code: z.string(), networks: z.array(z.looseObject({ wallet: Wallet })) })),
});

const ask = (person: Person, asset: string) =>
  call(person, 'GET', '/v1/crypto/assets', undefined, { query: { asset } });
/** The wallet of somebody who has asked until it is open: the first answer may come before the custodian's. */
async function wallet(person: Person, asset: string): Promise<z.output<typeof Wallet>> {
  const { items } = (await ask(person, asset)).as(Assets);
  const found = Wallet.parse(items[0]?.networks[0]?.wallet);
  return found.status === 'active' ? found : wallet(person, asset);
}
const check = (person: Person, destination: object) =>
  call(person, 'POST', '/v1/crypto/addresses/check', destination);

test('twenty who ask at once for one customer are shown the same address, and the custodian has one wallet', async () => {
  const person = await bank.customer();
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(person, 'BTC')));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  const { address } = await wallet(person, 'BTC');
  const shown = answers.flatMap((answer) => answer.as(Assets).items[0]?.networks ?? []);
  expect(shown).toHaveLength(20);
  expect(new Set(shown.map(({ wallet: one }) => one.address ?? address))).toEqual(new Set([address]));
  const { items: vaults } = Vaults.parse(await custodianControl('GET', '/vaults'));
  const mine = vaults.filter(({ name }) => name === `u:${person.id}`);
  expect(mine).toMatchObject([{ customer_ref_id: person.id, assets: [{ asset: 'BTC_TEST' }] }]);
});

test('customers share an address where payments carry a tag, and each has a tag of their own', async () => {
  const [first, second] = [await bank.customer(), await bank.customer()];
  const [mine, others] = await Promise.all([wallet(first, 'XRP'), wallet(second, 'XRP')]);
  expect(mine).toMatchObject({ network: 'ripple', memo_type: 'tag' });
  expect(mine.memo).toMatch(/^\d+$/);
  expect(others.address).toBe(mine.address);
  expect(others.memo).not.toBe(mine.memo);
});

test('an address of the bank is no place to send coins to, with whatever tag', async () => {
  const person = await bank.customer();
  const { address: bitcoin } = await wallet(person, 'BTC');
  const { address: ripple } = await wallet(person, 'XRP');
  const own = { status: 200, body: { valid: false, reason: 'own_address', address: null } };
  expect(await check(person, { asset: 'BTC', network: 'bitcoin', address: bitcoin })).toMatchObject(own);
  expect(await check(person, { asset: 'XRP', network: 'ripple', address: ripple, memo: '12' })).toMatchObject(
    own,
  );
});

test('wallets are listed to their customer alone, and found by administrators', async () => {
  const [person, stranger] = [await bank.customer(), await bank.customer()];
  const { id, address, memo } = await wallet(person, 'XRP');
  await wallet(person, 'BTC');
  const listed = (whose: Person, query: Record<string, string>) =>
    call(whose, 'GET', '/v1/crypto/wallets', undefined, { query });
  expect((await listed(person, { limit: '1' })).as(Listed)).toMatchObject({
    items: [{ asset: 'BTC' }],
    next_cursor: expect.any(String),
  });
  expect((await listed(person, { network: 'ripple', status: 'active' })).body).toMatchObject({
    ...{ items: [{ id, address, memo }], next_cursor: null },
  });
  expect((await listed(stranger, {})).body).toEqual({ items: [], next_cursor: null });
  const found = await call(office, 'GET', '/v1/admin/crypto/wallets', undefined, {
    query: { address: address ?? '', limit: '200' },
  });
  const { items } = found.as(z.object({ items: z.array(Wallet) }));
  const shared = items.find(({ user_id: user }) => user === null);
  expect(items.find((one) => one.id === id)).toMatchObject({
    ...{ user_id: person.id, memo, held_by: shared?.id, custody_asset: 'XRP_TEST', balance: null },
  });
  expect(shared).toMatchObject({ memo: null, held_by: shared?.id });
});

test('an administrator has the custodian say what a wallet holds, which leaves a line in the audit log', async () => {
  const person = await bank.customer();
  const { id, address } = await wallet(person, 'BTC');
  const refreshed = () => call(office, 'POST', `/v1/admin/crypto/wallets/${id}/refresh`);
  const none = { total: '0.00000000', available: '0.00000000', pending: '0.00000000' };
  expect(await refreshed()).toMatchObject({ status: 200, body: { wallet_id: id, asset: 'BTC', ...none } });
  await custodianControl('POST', '/deposits', { address, asset: 'BTC_TEST', amount: '0.12345678' });
  // the bank hears of it in a moment
  await until(async () => (await refreshed()).as(Compared).difference === '0.00000000');
  const compared = { total: '0.12345678', frozen: '0.00000000', expected: '0.12345678' };
  expect((await refreshed()).body).toMatchObject(compared);
  const [kept] = (
    await call(office, 'GET', '/v1/admin/crypto/wallets', undefined, { query: { user_id: person.id } })
  ).as(Listed).items;
  expect(kept).toMatchObject({ balance: { total: '0.12345678' } });
  const lines = await bank.asOwner(
    `select actor_id from audit_log where action = 'crypto_wallet.refreshed' and subject_id = $1`,
    [id],
  );
  expect(new Set(lines.map(({ actor_id: actor }) => actor))).toEqual(new Set([office.id]));
  expect(lines.length).toBeGreaterThanOrEqual(3);
});

test('where customers share a wallet, the custodian says what all of them have there', async () => {
  const { id, address, memo } = await wallet(await bank.customer(), 'XRP');
  await custodianControl('POST', '/deposits', { address, memo, asset: 'XRP_TEST', amount: '25.5' });
  const { body } = await call(office, 'POST', `/v1/admin/crypto/wallets/${id}/refresh`);
  const { wallet_id: holder, total } = z.looseObject({ wallet_id: z.uuid(), total: z.string() }).parse(body);
  expect(holder).not.toBe(id);
  expect(Number(total)).toBeGreaterThanOrEqual(25.5);
});

test('a wallet that is not open yet holds nothing that could be asked for', async () => {
  const person = await bank.customer();
  // as if the custodian had never answered
  const [made] = await bank.asOwner(
    `insert into crypto_vaults (user_id, name) values ($1, $2) returning id`,
    [person.id, `u:${person.id}`],
  );
  const [row] = await bank.asOwner(
    `insert into crypto_wallets (user_id, vault_id, asset, network) values ($1, $2, 'BTC', 'bitcoin') returning id`,
    [person.id, made?.['id']],
  );
  expect(await call(office, 'POST', `/v1/admin/crypto/wallets/${String(row?.['id'])}/refresh`)).toMatchObject(
    {
      ...{ status: 409, body: { code: 'crypto_wallet_creating' } },
    },
  );
  expect(await call(office, 'POST', `/v1/admin/crypto/wallets/${randomUUID()}/refresh`)).toMatchObject({
    status: 404,
  });
  // whoever asks next has it opened
  expect(await wallet(person, 'BTC')).toMatchObject({ id: row?.['id'], status: 'active' });
});
