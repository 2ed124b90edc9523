/** Types of account: who may open one, what is configured and what its limits do, and requests to open one. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { AccountAnswer, openBank, type Bank, type Person } from '../../support/bank/bank.ts';
import { codeOf, newKey, patiently } from '../../support/client.ts';
import {
  approved,
  call,
  closeAccount,
  euro,
  Listed,
  newType,
  openAccount,
} from '../../support/bank/accounts.ts';

let bank: Bank;
let office: Person;
beforeAll(async () => {
  bank = openBank();
  office = await bank.admin('accounts:write', 'accounts:review', 'account_types:read', 'account_types:write');
});
afterAll(() => bank.close());

const identify = (person: Person, level: number) =>
  bank.asOwner('update users set kyc_level = $2 where id = $1', [person.id, level]);

describe('account types', () => {
  test('a customer sees and opens what the KYC level allows, and is told what is missing', async () => {
    const type = await newType(bank, office, { kyc_level_required: 2, max_balance: euro('50000.00') });
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
    const refused = await openAccount(customer, type.id);
    expect(refused.body).toMatchObject({
      status: 409,
      code: 'kyc_required',
      level: 0,
      required: 2,
      next: '/v1/kyc/draft',
    });
    await identify(customer, 2);
    expect(await offered()).toContain(type.id);
    expect(await openAccount(customer, type.id)).toMatchObject({ status: 201 });
  });

  test('one that is for request, switched off or unknown cannot be opened, but an administrator opens the first', async () => {
    const customer = await bank.customer();
    const [byRequest, off] = [
      await newType(bank, office, { openable_by: 'request' }),
      await newType(bank, office, { enabled: false }),
    ];
    expect(codeOf(await openAccount(customer, byRequest.id))).toBe('account_type_unavailable');
    expect(codeOf(await openAccount(customer, off.id))).toBe('account_type_unavailable');
    expect(codeOf(await openAccount(customer, customer.id))).toBe('not_found');
    const forUser = (typeId: string, userId: string = customer.id) =>
      call(office, 'POST', '/v1/admin/accounts', { user_id: userId, account_type_id: typeId });
    expect((await forUser(byRequest.id)).body).toMatchObject({ owner: { id: customer.id }, status: 'open' });
    expect(codeOf(await forUser(off.id))).toBe('account_type_unavailable');
    expect(codeOf(await forUser(byRequest.id, off.id))).toBe('not_found');
  });

  test('a change is not retroactive, is logged before and after, and a type in use is not deleted', async () => {
    const type = await newType(bank, office, { max_balance: euro('100.00') });
    const customer = await bank.customer();
    const account = (await openAccount(customer, type.id)).as(AccountAnswer);
    const path = `/v1/admin/account-types/${type.id}`;
    const seen = await call(office, 'GET', path);
    const etag = { headers: { 'If-Match': seen.headers.get('ETag') ?? '' } };
    const change = { max_balance: null, overdraft_limit: euro('50.00') };
    expect(await approved(bank, office, 'PATCH', path, change, etag)).toMatchObject({ status: 200 });
    expect(codeOf(await call(office, 'PATCH', path, change, etag))).toBe('etag_mismatch');
    expect((await call(customer, 'GET', `/v1/accounts/${account.id}`)).body).toMatchObject({
      max_balance: euro('100.00'),
      overdraft_limit: euro('0.00'),
    });
    const [entry] = await bank.asOwner(
      `select before->'max_balance'->>'amount' as before, after->'overdraft_limit'->>'amount' as after from audit_log
        where subject_id = $1 and action = 'account_type.updated'`,
      [type.id],
    );
    expect(entry).toEqual({ before: '100.00', after: '50.00' });
    expect(codeOf(await call(office, 'DELETE', path))).toBe('in_use');
    expect(
      await call(office, 'DELETE', `/v1/admin/account-types/${(await newType(bank, office)).id}`),
    ).toMatchObject({
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
    ['more digits than the currency has', { overdraft_limit: euro('1.001') }, '/overdraft_limit/amount'],
    ['a negative overdraft', { overdraft_limit: euro('-1.00') }, '/overdraft_limit'],
    ['a maximum of nothing', { max_balance: euro('0.00') }, '/max_balance'],
    [
      'an overdraft beside a balance to keep',
      { overdraft_limit: euro('1.00'), min_balance: euro('1.00') },
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
      enabled: false,
    };
    const answers = await Promise.all(
      [1, 2, 3].map(() => call(office, 'POST', '/v1/admin/account-types', body)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
  });
});

describe('limits', () => {
  test('a balance to be kept is kept, until an administrator lets it go and the account is closed', async () => {
    const type = await newType(bank, office, { min_balance: euro('10.00') });
    const customer = await bank.customer();
    const account = (await openAccount(customer, type.id)).as(AccountAnswer);
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
    expect(codeOf(await closeAccount(customer, account.id))).toBe('account_not_empty');
    const limits = { min_balance: euro('0.00'), reason: 'closes the account' };
    expect(
      await approved(bank, office, 'PATCH', `/v1/admin/accounts/${account.id}/limits`, limits),
    ).toMatchObject({
      status: 200,
    });
    expect((await bank.transfer(customer, { from: account.id, to: to.id, amount: '10.00' })).status).toBe(
      201,
    );
    expect((await closeAccount(customer, account.id)).body).toMatchObject({ status: 'closed' });
  });

  test('an overdraft that is used is not taken away', async () => {
    const customer = await bank.customer();
    const [account, to] = [await bank.account(customer), await bank.account(customer)];
    const limit = (amount: string) =>
      approved(bank, office, 'PATCH', `/v1/admin/accounts/${account.id}/limits`, {
        overdraft_limit: euro(amount),
        reason: 'salary',
      });
    expect((await limit('100.00')).body).toMatchObject({ overdraft_limit: euro('100.00') });
    expect((await bank.transfer(customer, { from: account.id, to: to.id, amount: '60.00' })).status).toBe(
      201,
    );
    expect(codeOf(await limit('59.99'))).toBe('overdraft_in_use');
    expect((await limit('60.00')).status).toBe(200);
  });
});

describe('requests', () => {
  test('raced a dozen times are one, whose approval by two at once opens one account', async () => {
    const type = await newType(bank, office, { openable_by: 'request' });
    const customer = await bank.customer();
    const asked = await Promise.all(
      Array.from({ length: 12 }, newKey).map((key) =>
        patiently(() =>
          call(customer, 'POST', '/v1/account-requests', { account_type_id: type.id }, { key }),
        ),
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
        patiently(() => call(by, 'POST', `/v1/admin/account-requests/${id}/review`, { decision: 'approve' })),
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
    const open = await newType(bank, office);
    const ask = (typeId: string) =>
      call(customer, 'POST', '/v1/account-requests', { account_type_id: typeId });
    expect(codeOf(await ask(open.id))).toBe('account_type_unavailable');
    expect(codeOf(await ask(customer.id))).toBe('not_found');
    const { id } = (await ask((await newType(bank, office, { openable_by: 'request' })).id)).as(
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
