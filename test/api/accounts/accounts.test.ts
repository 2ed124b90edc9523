/** Accounts over the API: which types may be opened, what limits do, what a status and a flag stop, who learns of it. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { z } from 'zod';
import { AccountAnswer, openBank, TransferAnswer, type Bank, type Person } from '../../support/bank/bank.ts';
import { newKey, type Answered, type Method } from '../../support/client.ts';
import { until } from '../../support/stack/processes.ts';
import { stack } from '../../support/stack/stack.ts';

const Typed = z.looseObject({ id: z.uuid(), code: z.string() });
const Listed = z.looseObject({
  items: z.array(z.looseObject({ id: z.uuid() })),
  next_cursor: z.string().nullable(),
});
const Money = (amount: string) => ({ amount, currency: 'EUR' });

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

/** Calls as somebody, with a fresh key where it is a POST. */
function call(
  person: Person | undefined,
  method: Method,
  path: string,
  body?: object,
  more: object = {},
): Promise<Answered> {
  if (person === undefined) throw new Error('nobody calls');
  const key = method === 'POST' ? { key: newKey() } : {};
  return person.client.call(method, path, {
    token: person.token,
    ...key,
    ...(body === undefined ? {} : { body }),
    ...more,
  });
}

async function newType(terms: object = {}): Promise<z.output<typeof Typed>> {
  const code = `t${newKey().replaceAll('-', '')}`;
  const body = { code, name: 'Type of a test', currency: 'EUR', openable_by: 'customer', ...terms };
  const answer = await call(office, 'POST', '/v1/admin/account-types', body);
  expect(answer).toMatchObject({ status: 201 });
  return answer.as(Typed);
}
const open = async (person: Person, typeId: string): Promise<Answered> =>
  call(
    person,
    'POST',
    '/v1/accounts',
    { account_type_id: typeId },
    { stepUp: await person.stepUp('openAccount') },
  );
const close = async (person: Person, id: string): Promise<Answered> =>
  call(person, 'POST', `/v1/accounts/${id}/close`, undefined, {
    stepUp: await person.stepUp('closeAccount'),
  });
const setStatus = (id: string, status: string): Promise<Answered> =>
  call(office, 'PATCH', `/v1/admin/accounts/${id}/status`, { status, reason: 'asked for' });
const flag = (id: string, freeze: boolean): Promise<Answered> =>
  call(watch, 'POST', `/v1/admin/accounts/${id}/aml-flag`, { reason: 'many small credits', freeze });
const clear = (id: string, by = secondWatch): Promise<Answered> =>
  call(by, 'POST', `/v1/admin/accounts/${id}/aml-flag/clear`, { reason: 'invoices were shown' });
const codeOf = (answer: Answered): unknown =>
  z.looseObject({ code: z.string() }).safeParse(answer.body).data?.code;
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
const identify = (person: Person, level: number) =>
  bank.asOwner('update users set kyc_level = $2 where id = $1', [person.id, level]);

describe('account types', () => {
  test('a customer sees and opens what the KYC level allows, and is told what is missing', async () => {
    const type = await newType({ kyc_level_required: 2 });
    const customer = await bank.customer();
    const offered = async (): Promise<string[]> => {
      const ids: string[] = [];
      let cursor: string | null = null;
      do {
        const query: Record<string, string> = { limit: '200', ...(cursor === null ? {} : { cursor }) };
        const page: z.output<typeof Listed> = (
          await call(customer, 'GET', '/v1/account-types', undefined, { query })
        ).as(Listed);
        ids.push(...page.items.map(({ id }) => id));
        cursor = page.next_cursor;
      } while (cursor !== null);
      return ids;
    };
    expect(await offered()).not.toContain(type.id);
    const refused = await open(customer, type.id);
    expect(refused.body).toMatchObject({ status: 409, code: 'kyc_level_too_low', level: 0, required: 2 });
    await identify(customer, 2);
    expect(await offered()).toContain(type.id);
    expect(await open(customer, type.id)).toMatchObject({ status: 201 });
  });

  test('one that is for request, switched off or unknown cannot be opened, but an administrator opens the first', async () => {
    const customer = await bank.customer();
    const [byRequest, off] = [await newType({ openable_by: 'request' }), await newType({ enabled: false })];
    expect(codeOf(await open(customer, byRequest.id))).toBe('account_type_unavailable');
    expect(codeOf(await open(customer, off.id))).toBe('account_type_unavailable');
    expect(codeOf(await open(customer, customer.id))).toBe('not_found');
    const forUser = (typeId: string, userId: string = customer.id) =>
      call(office, 'POST', '/v1/admin/accounts', { user_id: userId, account_type_id: typeId });
    expect((await forUser(byRequest.id)).body).toMatchObject({ owner: { id: customer.id }, status: 'open' });
    expect(codeOf(await forUser(off.id))).toBe('account_type_unavailable');
    expect(codeOf(await forUser(byRequest.id, off.id))).toBe('not_found');
  });

  test('a change is not retroactive, is logged before and after, and a type in use is not deleted', async () => {
    const type = await newType({ max_balance: Money('100.00') });
    const customer = await bank.customer();
    const account = (await open(customer, type.id)).as(AccountAnswer);
    const path = `/v1/admin/account-types/${type.id}`;
    const seen = await call(office, 'GET', path);
    const etag = { headers: { 'If-Match': seen.headers.get('ETag') ?? '' } };
    const change = { max_balance: null, overdraft_limit: Money('50.00') };
    expect(await call(office, 'PATCH', path, change, etag)).toMatchObject({ status: 200 });
    expect(codeOf(await call(office, 'PATCH', path, change, etag))).toBe('etag_mismatch');
    expect((await call(customer, 'GET', `/v1/accounts/${account.id}`)).body).toMatchObject({
      max_balance: Money('100.00'),
      overdraft_limit: Money('0.00'),
    });
    const [entry] = await bank.asOwner(
      `select before->'max_balance'->>'amount' as before, after->'overdraft_limit'->>'amount' as after from audit_log
        where subject_id = $1 and action = 'account_type.updated'`,
      [type.id],
    );
    expect(entry).toEqual({ before: '100.00', after: '50.00' });
    expect(codeOf(await call(office, 'DELETE', path))).toBe('in_use');
    expect(await call(office, 'DELETE', `/v1/admin/account-types/${(await newType()).id}`)).toMatchObject({
      status: 204,
    });
  });

  test.each([
    ['a currency that is none', { currency: 'EUX' }, '/currency'],
    [
      'a limit in another currency',
      { max_balance: { amount: '1.00', currency: 'USD' } },
      '/max_balance/currency',
    ],
    ['more digits than the currency has', { overdraft_limit: Money('1.001') }, '/overdraft_limit/amount'],
    ['a negative overdraft', { overdraft_limit: Money('-1.00') }, '/overdraft_limit'],
    ['a maximum of nothing', { max_balance: Money('0.00') }, '/max_balance'],
    [
      'an overdraft beside a balance to keep',
      { overdraft_limit: Money('1.00'), min_balance: Money('1.00') },
      '/overdraft_limit',
    ],
    [
      'a fee rule that does not exist',
      { monthly_fee_rule_id: '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e' },
      '/monthly_fee_rule_id',
    ],
  ])('%s is refused with a pointer', async (_what, terms, pointer) => {
    const code = `t${newKey().replaceAll('-', '')}`;
    const body = { code, name: 'x', currency: 'EUR', openable_by: 'customer', ...terms };
    const answer = await call(office, 'POST', '/v1/admin/account-types', body);
    expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer }] });
  });

  test('a code is taken once, also at the same moment', async () => {
    const body = {
      code: `t${newKey().replaceAll('-', '')}`,
      name: 'x',
      currency: 'JPY',
      openable_by: 'request',
    };
    const answers = await Promise.all(
      [1, 2, 3].map(() => call(office, 'POST', '/v1/admin/account-types', body)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
  });
});

describe('limits', () => {
  test('a balance to be kept is kept, until an administrator lets it go and the account is closed', async () => {
    const type = await newType({ min_balance: Money('10.00') });
    const customer = await bank.customer();
    const account = (await open(customer, type.id)).as(AccountAnswer);
    const to = await bank.account(customer);
    await bank.fund(account, '15.00');
    expect(await bank.look(customer, account)).toMatchObject({
      balance: { amount: '15.00' },
      available: { amount: '5.00' },
    });
    expect(codeOf(await bank.transfer(customer, { from: account.id, to: to.id, amount: '5.01' }))).toBe(
      'insufficient_funds',
    );
    expect((await bank.transfer(customer, { from: account.id, to: to.id, amount: '5.00' })).status).toBe(201);
    expect(codeOf(await close(customer, account.id))).toBe('account_not_empty');
    const limits = { min_balance: Money('0.00'), reason: 'closes the account' };
    expect(await call(office, 'PATCH', `/v1/admin/accounts/${account.id}/limits`, limits)).toMatchObject({
      status: 200,
    });
    expect((await bank.transfer(customer, { from: account.id, to: to.id, amount: '10.00' })).status).toBe(
      201,
    );
    expect((await close(customer, account.id)).body).toMatchObject({ status: 'closed' });
  });

  test('an overdraft that is used is not taken away', async () => {
    const customer = await bank.customer();
    const [account, to] = [await bank.account(customer), await bank.account(customer)];
    const limit = (amount: string) =>
      call(office, 'PATCH', `/v1/admin/accounts/${account.id}/limits`, {
        overdraft_limit: Money(amount),
        reason: 'salary',
      });
    expect((await limit('100.00')).body).toMatchObject({ overdraft_limit: Money('100.00') });
    expect((await bank.transfer(customer, { from: account.id, to: to.id, amount: '60.00' })).status).toBe(
      201,
    );
    expect(codeOf(await limit('59.99'))).toBe('overdraft_in_use');
    expect((await limit('60.00')).status).toBe(200);
  });
});

describe('closing', () => {
  test('by its owner cancels what waits to leave it, and stands', async () => {
    const customer = await bank.customer();
    const type = await newType({ overdraft_limit: Money('50000.00') });
    const [account, to] = [(await open(customer, type.id)).as(AccountAnswer), await bank.account(customer)];
    const waiting = (await bank.transfer(customer, { from: account.id, to: to.id, amount: '20000.00' })).as(
      TransferAnswer,
    );
    expect(waiting.status).toBe('pending_approval');
    expect((await close(customer, account.id)).body).toMatchObject({ status: 'closed', held: Money('0.00') });
    expect(await transferOf(waiting.id)).toMatchObject({ status: 'cancelled' });
    expect(codeOf(await setStatus(account.id, 'open'))).toBe('account_closed');
    expect(codeOf(await call(customer, 'PATCH', `/v1/accounts/${account.id}`, { nickname: 'x' }))).toBe(
      'account_closed',
    );
  });

  test('by its owner does not cancel what the bank wants of the account; an administrator may', async () => {
    const customer = await bank.customer();
    const type = await newType({ overdraft_limit: Money('100.00') });
    const account = (await open(customer, type.id)).as(AccountAnswer);
    const maker = await bank.admin('adjustments:write');
    const debit = { account_id: account.id, direction: 'debit', amount: Money('5.00'), reason: 'unpaid fee' };
    const asked = (await call(maker, 'POST', '/v1/admin/adjustments', debit)).as(TransferAnswer);
    expect(codeOf(await close(customer, account.id))).toBe('account_not_empty');
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
    expect(codeOf(await close(stranger, account.id))).toBe('not_found');
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
    expect(codeOf(await setStatus(account.id, 'blocked'))).toBeUndefined();
    expect(codeOf(await bank.transfer(customer, { ...wish, amount: '1.00' }))).toBe('account_blocked');
    expect(codeOf(await close(customer, account.id))).toBe('account_blocked');
    expect(await updatesOf(`transfer/${waiting.id}`)).toContain('account_changed');
    expect(await transferOf(waiting.id)).toMatchObject({ status: 'pending_approval' });
  });
});

test('nobody opens, unblocks or limits an account of their own at the back office', async () => {
  const [type, account] = [await newType({ openable_by: 'request' }), await bank.account(office)];
  const own = { user_id: office.id, account_type_id: type.id };
  expect(codeOf(await call(office, 'POST', '/v1/admin/accounts', own))).toBe('same_person');
  expect(codeOf(await setStatus(account.id, 'open'))).toBe('same_person');
  const limits = { overdraft_limit: Money('1000.00'), reason: 'for me' };
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
      held: Money('0.00'),
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
    expect(codeOf(await close(customer, account.id))).toBe('account_blocked');
    expect((await clear(account.id)).body).toMatchObject({ status: 'open' });
    expect((await close(customer, account.id)).body).toMatchObject({ status: 'closed' });
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
    const type = await newType({ currency: 'GBP' });
    const accounts = [];
    for (const _each of [1, 2, 3])
      accounts.push((await open(customer, type.id)).as(AccountAnswer.extend({ iban: z.string() })));
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
      holds: [{ transfer_id: waiting.id, amount: Money('20000.00') }],
    });
    const [house] = await bank.asOwner(`select id from accounts where kind = 'house' limit 1`);
    expect(codeOf(await call(office, 'GET', `/v1/admin/accounts/${String(house?.['id'])}`))).toBe(
      'not_found',
    );
  });
});

describe('requests', () => {
  test('raced a dozen times are one, whose approval by two at once opens one account', async () => {
    const type = await newType({ openable_by: 'request' });
    const customer = await bank.customer();
    const asked = await Promise.all(
      Array.from({ length: 12 }, () =>
        call(customer, 'POST', '/v1/account-requests', { account_type_id: type.id }),
      ),
    );
    const [made, ...more] = asked.filter(({ status }) => status === 201);
    expect(more).toEqual([]);
    const { id } = made?.as(z.looseObject({ id: z.uuid() })) ?? {};
    const refused = asked.find(({ status }) => status !== 201);
    expect(refused?.body).toMatchObject({
      status: 409,
      code: 'account_request_open',
      account_request_id: id,
    });
    const second = await bank.admin('accounts:review');
    const reviewed = await Promise.all(
      [office, second, office].map((by) =>
        call(by, 'POST', `/v1/admin/account-requests/${id}/review`, { decision: 'approve' }),
      ),
    );
    expect(reviewed.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    const list = await call(customer, 'GET', '/v1/accounts');
    expect(list.as(Listed).items).toHaveLength(1);
    const again = await call(customer, 'GET', `/v1/account-requests/${id}`);
    expect(again.body).toMatchObject({
      status: 'approved',
      account_id: list.as(Listed).items[0]?.id,
      decided_by: null,
    });
  });

  test('are not for types that open at once, and nobody sees another’s', async () => {
    const [customer, stranger] = [await bank.customer(), await bank.customer()];
    const open = await newType();
    const ask = (typeId: string) =>
      call(customer, 'POST', '/v1/account-requests', { account_type_id: typeId });
    expect(codeOf(await ask(open.id))).toBe('account_type_unavailable');
    expect(codeOf(await ask(customer.id))).toBe('not_found');
    const { id } = (await ask((await newType({ openable_by: 'request' })).id)).as(
      z.looseObject({ id: z.uuid() }),
    );
    expect(codeOf(await call(stranger, 'GET', `/v1/account-requests/${id}`))).toBe('not_found');
    expect(codeOf(await call(stranger, 'POST', `/v1/account-requests/${id}/withdraw`))).toBe('not_found');
    expect((await call(stranger, 'GET', '/v1/account-requests')).as(Listed).items).toEqual([]);
    expect((await call(customer, 'POST', `/v1/account-requests/${id}/withdraw`)).body).toMatchObject({
      status: 'withdrawn',
    });
    expect(
      codeOf(await call(office, 'POST', `/v1/admin/account-requests/${id}/review`, { decision: 'approve' })),
    ).toBe('account_request_not_pending');
  });
});
