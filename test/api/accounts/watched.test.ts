/** What the owner of a flagged account can learn of the flag: nothing. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { openBank, transferBody, type Bank, type Person } from '../../support/bank/bank.ts';
import { newKey, type Answered, type Method } from '../../support/client.ts';

let bank: Bank;
let office: Person;
let watch: Person;
beforeAll(async () => {
  bank = openBank();
  [office, watch] = [await bank.admin('accounts:read'), await bank.admin('aml:review')];
});
afterAll(() => bank.close());

const call = (person: Person, method: Method, path: string, body?: object): Promise<Answered> =>
  person.client.call(method, path, {
    token: person.token,
    ...(body === undefined ? {} : { body, key: newKey() }),
  });
const flag = (id: string, freeze: boolean): Promise<Answered> =>
  call(watch, 'POST', `/v1/admin/accounts/${id}/aml-flag`, { reason: 'many small credits', freeze });

const Loose = z.looseObject({});
/** What an answer lets anybody see: which fields are there, which of them are null, and what the words in them are. */
const alike = ([name, value]: [string, unknown]): unknown[] =>
  ['id', 'amount', 'target_amount', 'total_debit'].includes(name) || /_(at|until)$/.test(name)
    ? [name, value === null]
    : [name, value];

test('a flag shows its owner nothing that a payment above the threshold would not show, from quote to run', async () => {
  const customer = await bank.customer();
  const [account, to] = [await bank.fundedAccount(customer, '50000.00'), await bank.account(customer)];
  const quoted = async (amount: string) => {
    const body = transferBody({ from: account.id, to: to.id, amount });
    return (await call(customer, 'POST', '/v1/transfers/quote', body)).as(Loose);
  };
  const large = await quoted('20000.00');
  const waiting = (await bank.transfer(customer, { from: account.id, to: to.id, amount: '20000.00' })).as(
    Loose,
  );
  await flag(account.id, false);
  const small = await quoted('7.00');
  const held = (await bank.transfer(customer, { from: account.id, to: to.id, amount: '7.00' })).as(Loose);
  expect(Object.entries(small).map(alike)).toEqual(Object.entries(large).map(alike));
  expect(Object.entries(held).map(alike)).toEqual(Object.entries(waiting).map(alike));
});

test('a flag that freezes looks to the owner as if the bank had blocked the account', async () => {
  const customer = await bank.customer();
  const account = await bank.account(customer);
  await flag(account.id, true);
  const one = await call(customer, 'GET', `/v1/accounts/${account.id}`);
  const all = await call(customer, 'GET', '/v1/accounts');
  const summary = await call(customer, 'GET', '/v1/accounts/summary');
  expect(one.body).toMatchObject({ status: 'blocked' });
  expect(one.text + all.text + summary.text).not.toMatch(/frozen|flag|aml/i);
  expect((await call(office, 'GET', `/v1/admin/accounts/${account.id}`)).body).toMatchObject({
    status: 'frozen',
  });
});
