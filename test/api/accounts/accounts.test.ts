/** Accounts over the API: what closing, a status and a flag stop, who learns of it, and what the back office finds. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { z } from 'zod';
import { AccountAnswer, openBank, TransferAnswer, type Bank, type Person } from '../../support/bank/bank.ts';
import { codeOf, type Answered } from '../../support/client.ts';
import { call, closeAccount, euro, Listed, newType, openAccount } from '../../support/bank/accounts.ts';
import { until } from '../../support/stack/processes.ts';
import { stack } from '../../support/stack/stack.ts';

let bank: Bank;
let office: Person;
let [watch, secondWatch]: Person[] = [];
beforeAll(async () => {
  bank = openBank();
  office = await bank.admin(
    'accounts:read',
    'accounts:write',
    'accounts:review',
    'account_types:read',
    'account_types:write',
    'transfers:read',
  );
  [watch, secondWatch] = [await bank.admin('aml:review'), await bank.admin('aml:review')];
});
afterAll(() => bank.close());

const setStatus = (id: string, status: string): Promise<Answered> =>
  call(office, 'PATCH', `/v1/admin/accounts/${id}/status`, { status, reason: 'asked for' });
const flag = (id: string, freeze: boolean): Promise<Answered> =>
  call(watch, 'POST', `/v1/admin/accounts/${id}/aml-flag`, { reason: 'many small credits', freeze });
const clear = (id: string, by = secondWatch): Promise<Answered> =>
  call(by, 'POST', `/v1/admin/accounts/${id}/aml-flag/clear`, { reason: 'invoices were shown' });
const transferOf = async (id: string): Promise<Record<string, unknown>> =>
  z
    .record(z.string(), z.unknown())
    .parse((await bank.asOwner('select status, failure_code from transfers where id = $1', [id]))[0]);
/** Names of the updates that a process has taken. */
async function updatesOf(workflowId: string): Promise<(string | null | undefined)[]> {
  const connection = await Connection.connect({ address: stack.temporal.address });
  try {
    const client = new Client({ connection, namespace: stack.temporal.namespace });
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    return (events ?? []).map(
      (event) => event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input?.name,
    );
  } finally {
    await connection.close();
  }
}

describe('closing', () => {
  test('by its owner cancels what waits to leave it, and stands', async () => {
    const customer = await bank.customer();
    const type = await newType(bank, office, { overdraft_limit: euro('50000.00') });
    const [account, to] = [
      (await openAccount(customer, type.id)).as(AccountAnswer),
      await bank.account(customer),
    ];
    const waiting = (await bank.transfer(customer, { from: account.id, to: to.id, amount: '20000.00' })).as(
      TransferAnswer,
    );
    expect(waiting.status).toBe('pending_approval');
    expect((await closeAccount(customer, account.id)).body).toMatchObject({
      status: 'closed',
      held: euro('0.00'),
    });
    expect(await transferOf(waiting.id)).toMatchObject({ status: 'cancelled' });
    expect(codeOf(await setStatus(account.id, 'open'))).toBe('account_closed');
    expect(codeOf(await call(customer, 'PATCH', `/v1/accounts/${account.id}`, { nickname: 'x' }))).toBe(
      'account_closed',
    );
  });

  test('by its owner does not cancel what the bank wants of the account; an administrator may', async () => {
    const customer = await bank.customer();
    const type = await newType(bank, office, { overdraft_limit: euro('100.00') });
    const account = (await openAccount(customer, type.id)).as(AccountAnswer);
    const maker = await bank.admin('adjustments:write');
    const debit = { account_id: account.id, direction: 'debit', amount: euro('5.00'), reason: 'unpaid fee' };
    const asked = (await call(maker, 'POST', '/v1/admin/adjustments', debit)).as(TransferAnswer);
    expect(codeOf(await closeAccount(customer, account.id))).toBe('account_not_empty');
    expect(await transferOf(asked.id)).toMatchObject({ status: 'pending_approval' });
    expect((await setStatus(account.id, 'closed')).body).toMatchObject({ status: 'closed' });
    expect(await transferOf(asked.id)).toMatchObject({ status: 'cancelled' });
  });

  test('an account with money cancels nothing and changes nothing', async () => {
    const customer = await bank.customer();
    const [account, to] = [await bank.fundedAccount(customer, '50000.00'), await bank.account(customer)];
    const waiting = (await bank.transfer(customer, { from: account.id, to: to.id, amount: '20000.00' })).as(
      TransferAnswer,
    );
    expect(codeOf(await setStatus(account.id, 'closed'))).toBe('account_not_empty');
    expect(await transferOf(waiting.id)).toMatchObject({ status: 'pending_approval' });
  });

  test('somebody else’s account is not there, for closing and for renaming', async () => {
    const account = await bank.account(await bank.customer());
    const stranger = await bank.customer();
    expect(codeOf(await closeAccount(stranger, account.id))).toBe('not_found');
    expect(codeOf(await call(stranger, 'PATCH', `/v1/accounts/${account.id}`, { nickname: 'mine' }))).toBe(
      'not_found',
    );
  });
});

describe('blocking', () => {
  test('is shown to who looks at a process that waits on the account', async () => {
    const customer = await bank.customer();
    const [account, to] = [await bank.fundedAccount(customer, '50000.00'), await bank.account(customer)];
    const wish = { from: account.id, to: to.id, amount: '20000.00' };
    const waiting = (await bank.transfer(customer, wish)).as(TransferAnswer);
    expect(codeOf(await setStatus(account.id, 'blocked'))).toBe(200);
    expect(codeOf(await bank.transfer(customer, { ...wish, amount: '1.00' }))).toBe('account_blocked');
    expect(codeOf(await closeAccount(customer, account.id))).toBe('account_blocked');
    await until(async () => (await updatesOf(`transfer/${waiting.id}`)).includes('account_changed'));
    expect(await transferOf(waiting.id)).toMatchObject({ status: 'pending_approval' });
  });
});

test('nobody opens, unblocks or limits an account of their own at the back office', async () => {
  const [type, account] = [
    await newType(bank, office, { openable_by: 'request' }),
    await bank.account(office),
  ];
  const own = { user_id: office.id, account_type_id: type.id };
  expect(codeOf(await call(office, 'POST', '/v1/admin/accounts', own))).toBe('same_person');
  expect(codeOf(await setStatus(account.id, 'open'))).toBe('same_person');
  const limits = { overdraft_limit: euro('1000.00'), reason: 'for me' };
  expect(codeOf(await call(office, 'PATCH', `/v1/admin/accounts/${account.id}/limits`, limits))).toBe(
    'same_person',
  );
});

describe('a flag', () => {
  test('holds transfers for review, and clearing it lets them go; the customer does not learn why', async () => {
    const customer = await bank.customer();
    const [account, to] = [await bank.fundedAccount(customer, '100.00'), await bank.account(customer)];
    expect((await flag(account.id, false)).status).toBe(201);
    expect((await flag(account.id, false)).body).toMatchObject({
      flagged: true,
      aml_flag: { frozen: false },
    });
    const held = (await bank.transfer(customer, { from: account.id, to: to.id, amount: '40.00' })).as(
      TransferAnswer,
    );
    expect(held.status).toBe('pending_approval');
    expect(await transferOf(held.id)).toMatchObject({ status: 'aml_review' });
    const seen = await call(customer, 'GET', `/v1/accounts/${account.id}`);
    expect(seen.text).not.toMatch(/flag|small credits/);
    expect(codeOf(await clear(account.id, watch))).toBe('same_person');
    expect((await clear(account.id)).body).toMatchObject({
      flagged: false,
      aml_flag: null,
      held: euro('0.00'),
    });
    await until(async () => (await transferOf(held.id))['status'] === 'executed');
    // the same word again, its answer lost, finds its own work; another's finds nothing to clear
    expect((await clear(account.id)).status).toBe(200);
    expect(codeOf(await clear(account.id, watch))).toBe('account_not_flagged');
    expect(await bank.look(customer, account)).toMatchObject({ balance: { amount: '60.00' } });
  });

  test('with freeze stops everything; blocking and closing wait for it, and the owner is not told', async () => {
    const customer = await bank.customer();
    const account = await bank.account(customer);
    await flag(account.id, true);
    expect(codeOf(await setStatus(account.id, 'closed'))).toBe('account_frozen');
    expect(codeOf(await setStatus(account.id, 'open'))).toBe('account_frozen');
    expect(codeOf(await closeAccount(customer, account.id))).toBe('account_blocked');
    expect((await clear(account.id)).body).toMatchObject({ status: 'open' });
    expect((await closeAccount(customer, account.id)).body).toMatchObject({ status: 'closed' });
  });
});

describe('the back office', () => {
  test('sees the email addresses of customers masked in accounts, lists and details alike', async () => {
    const customer = await bank.customer();
    const account = await bank.account(customer);
    const detail = await call(office, 'GET', `/v1/admin/accounts/${account.id}`);
    const query = { user_id: customer.id };
    const list = await call(office, 'GET', '/v1/admin/accounts', undefined, { query });
    for (const answer of [detail, list]) {
      expect(answer.text).toContain(`"email":"${customer.id.slice(0, 1)}•••@bank.test"`);
      expect(answer.text).not.toContain(`${customer.id}@bank.test`);
    }
  });

  test('finds accounts by customer, status, type, currency, number and IBAN, page by page, and counts them', async () => {
    const customer = await bank.customer();
    const type = await newType(bank, office, { currency: 'GBP' });
    const accounts = [];
    for (const _each of [1, 2, 3])
      accounts.push((await openAccount(customer, type.id)).as(AccountAnswer.extend({ iban: z.string() })));
    const [first, second] = accounts;
    await setStatus(first?.id ?? '', 'blocked');
    const find = async (query: Record<string, string>) =>
      (await call(office, 'GET', '/v1/admin/accounts', undefined, { query })).as(Listed);
    const ids = async (query: Record<string, string>) => (await find(query)).items.map(({ id }) => id);
    const newestFirst = accounts.map(({ id }) => id).toReversed();
    expect(await ids({ user_id: customer.id })).toEqual(newestFirst);
    expect(await ids({ account_type_id: type.id, currency: 'GBP' })).toEqual(newestFirst);
    expect(await ids({ account_type_id: type.id, currency: 'EUR' })).toEqual([]);
    expect(await ids({ account_type_id: type.id, status: 'blocked' })).toEqual([first?.id]);
    expect(await ids({ number: second?.number ?? '' })).toEqual([second?.id]);
    expect(await ids({ iban: (second?.iban ?? '').replace(/(.{4})/g, '$1 ').toLowerCase() })).toEqual([
      second?.id,
    ]);
    const page = await find({ account_type_id: type.id, limit: '2' });
    expect(page.items.map(({ id }) => id)).toEqual(newestFirst.slice(0, 2));
    expect(await ids({ account_type_id: type.id, limit: '2', cursor: page.next_cursor ?? '' })).toEqual(
      newestFirst.slice(2),
    );
    const counted = await call(office, 'GET', '/v1/admin/accounts/count', undefined, {
      query: { account_type_id: type.id },
    });
    expect(counted.body).toEqual({ count: 3, by_status: { open: 2, blocked: 1 } });
    expect(
      (await call(office, 'GET', '/v1/admin/accounts', undefined, { query: { iban: 'DE00' } })).status,
    ).toBe(400);
  });

  test('sees an account’s transfers of both directions and what is held for which', async () => {
    const customer = await bank.customer();
    const [account, other] = [
      await bank.fundedAccount(customer, '50000.00'),
      await bank.fundedAccount(customer, '10.00'),
    ];
    await bank.transfer(customer, { from: other.id, to: account.id, amount: '1.00' });
    const waiting = (
      await bank.transfer(customer, { from: account.id, to: other.id, amount: '20000.00' })
    ).as(TransferAnswer);
    const list = await call(office, 'GET', `/v1/admin/accounts/${account.id}/transfers`);
    expect(list.body).toMatchObject({
      items: [{ id: waiting.id }, { kind: 'transfer' }, { kind: 'adjustment' }],
    });
    expect((await call(office, 'GET', `/v1/admin/accounts/${account.id}`)).body).toMatchObject({
      holds: [{ transfer_id: waiting.id, amount: euro('20000.00') }],
    });
    const [house] = await bank.asOwner(`select id from accounts where kind = 'house' limit 1`);
    expect(codeOf(await call(office, 'GET', `/v1/admin/accounts/${String(house?.['id'])}`))).toBe(
      'not_found',
    );
  });
});
