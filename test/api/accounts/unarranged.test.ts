/** An account that is below its limit because a payment had to be booked: its owner sees it, and the back office finds it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { openBank, type Bank, type Person } from '../../support/bank/bank.ts';

const Money = z.object({ amount: z.string(), currency: z.string() });
const Marked = z.looseObject({
  id: z.uuid(),
  available: Money,
  unarranged_overdraft: Money,
  unarranged_since: z.iso.datetime().nullable(),
});
const List = z.object({ items: z.array(Marked) });

let bank: Bank;
let office: Person;
beforeAll(async () => {
  bank = openBank();
  office = await bank.admin('accounts:read');
});
afterAll(() => bank.close());

const get = (person: Person, path: string) => person.client.call('GET', path, { token: person.token });

/** Books so many cents, which must be booked. The right to do so is there for this transaction only. */
async function force(account: string, minor: bigint): Promise<void> {
  const entry = (where: string, amount: bigint) =>
    `{"account": "${where}", "asset": "EUR", "amount": "${amount}"}`;
  const [house] = await bank.asOwner(`select house_account('clearing', 'EUR', uuidv7()) as id`);
  const command = `[{"id": "${randomUUID()}", "kind": "forced", "source_type": "test", "source_id": "${randomUUID()}",
    "must": true, "entries": [${entry(account, minor)}, ${entry(String(house?.['id']), -minor)}]}]`;
  await bank.asOwner(`begin;
    insert into source_rights (source_type, kind, permits) values ('test', 'forced', 'must_book');
    select ledger_post('${command}');
    delete from source_rights where source_type = 'test' and kind = 'forced';
    commit`);
}

test('an unarranged overdraft is shown to the customer and listed for the back office until it is covered', async () => {
  const customer = await bank.customer();
  const account = await bank.fundedAccount(customer, '10.00');
  const listed = async (unarranged: boolean) =>
    (await get(office, `/v1/admin/accounts?user_id=${customer.id}&unarranged=${unarranged}`))
      .as(List)
      .items.map(({ id }) => id);
  expect(await listed(true)).toEqual([]);
  await force(account.id, -1_234n);
  const shown = (await get(customer, `/v1/accounts/${account.id}`)).as(Marked);
  expect(shown).toMatchObject({
    available: { amount: '-2.34', currency: 'EUR' },
    unarranged_overdraft: { amount: '2.34', currency: 'EUR' },
    unarranged_since: expect.any(String),
  });
  expect((await get(customer, '/v1/accounts')).as(List).items[0]).toMatchObject({
    unarranged_overdraft: { amount: '2.34', currency: 'EUR' },
  });
  expect([await listed(true), await listed(false)]).toEqual([[account.id], []]);
  expect((await get(office, `/v1/admin/accounts/${account.id}`)).as(Marked)).toMatchObject({
    unarranged_overdraft: { amount: '2.34', currency: 'EUR' },
    unarranged_since: shown.unarranged_since,
  });
  await force(account.id, 234n);
  expect((await get(customer, `/v1/accounts/${account.id}`)).as(Marked)).toMatchObject({
    available: { amount: '0.00', currency: 'EUR' },
    unarranged_overdraft: { amount: '0.00', currency: 'EUR' },
    unarranged_since: null,
  });
  expect([await listed(true), await listed(false)]).toEqual([[], [account.id]]);
});
