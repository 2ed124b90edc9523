/** The happy paths of account types, of accounts at the back office, and of what owners change on theirs. */
import { z } from 'zod';
import type { AccountAnswer, Bank, Person } from '../../support/bank/bank.ts';
import { approvedCall } from '../../support/bank/second-person.ts';
import { newKey } from '../../support/client.ts';
import { perform, performBesideAnother, type Made, type Stories, type Story } from '../story.ts';

const Created = z.looseObject({ id: z.uuid() });

const newType = () => ({
  code: `story_${newKey().replaceAll('-', '').slice(0, 20)}`,
  name: 'Account of a story',
  currency: 'EUR',
  openable_by: 'request',
});

async function typeMade(bank: Bank): Promise<{ id: string; admin: Person }> {
  const admin = await bank.admin('account_types:read', 'account_types:write');
  const call = { token: admin.token, key: newKey(), body: newType() };
  const answer = await approvedCall(bank, admin, 'POST', '/v1/admin/account-types', call);
  return { id: answer.as(Created).id, admin };
}

const aboutType =
  (method: Made['method'], body?: object): Story =>
  async (bank) => {
    const { id, admin } = await typeMade(bank);
    return perform(admin, {
      method,
      path: `/v1/admin/account-types/${id}`,
      ...(body === undefined ? {} : { body }),
    });
  };

const read =
  (permission: string, path: (account: AccountAnswer) => string): Story =>
  async (bank) => {
    const account = await bank.fundedAccount(await bank.customer(), '10.00');
    return perform(await bank.admin(permission), { method: 'GET', path: path(account) });
  };

async function flag(bank: Bank, account: AccountAnswer): Promise<void> {
  const admin = await bank.admin('aml:review');
  await admin.client.call('POST', `/v1/admin/accounts/${account.id}/aml-flag`, {
    token: admin.token,
    key: newKey(),
    body: { reason: 'Many small credits', freeze: true },
  });
}

interface Asked {
  readonly customer: Person;
  readonly stranger: { readonly token: string };
  readonly id: string;
}

async function asked(bank: Bank): Promise<Asked> {
  const [customer, other] = [await bank.customer(), await bank.customer()];
  const answer = await customer.client.call('POST', '/v1/account-requests', {
    token: customer.token,
    key: newKey(),
    body: { account_type_id: await businessType(bank) },
  });
  return { customer, stranger: { token: other.token }, id: answer.as(Created).id };
}

async function businessType(bank: Bank): Promise<unknown> {
  const [type] = await bank.asOwner(`select id from account_types where code = 'business_eur'`);
  return type?.['id'];
}

const requests: Stories = {
  submitAccountRequest: async (bank) => {
    const body = { account_type_id: await businessType(bank), nickname: 'Shop' };
    return perform(
      await bank.customer(),
      { method: 'POST', path: '/v1/account-requests', key: newKey(), body },
      { otherBody: { ...body, nickname: 'Other shop' } },
    );
  },
  listAccountRequests: async (bank) =>
    perform((await asked(bank)).customer, { method: 'GET', path: '/v1/account-requests' }),
  getAccountRequest: async (bank) => {
    const { customer, stranger, id } = await asked(bank);
    return perform(customer, { method: 'GET', path: `/v1/account-requests/${id}` }, { stranger });
  },
  withdrawAccountRequest: async (bank) => {
    const { customer, stranger, id } = await asked(bank);
    const made = { method: 'POST', path: `/v1/account-requests/${id}/withdraw`, key: newKey() } as const;
    return perform(customer, made, { stranger });
  },
  listPendingAccountRequests: async (bank) => {
    await asked(bank);
    return perform(await bank.admin('accounts:read'), { method: 'GET', path: '/v1/admin/account-requests' });
  },
  getAccountRequestAsAdmin: async (bank) => {
    const { id } = await asked(bank);
    return perform(await bank.admin('accounts:read'), {
      method: 'GET',
      path: `/v1/admin/account-requests/${id}`,
    });
  },
  reviewAccountRequest: async (bank) => {
    const { id } = await asked(bank);
    const made = {
      method: 'POST',
      path: `/v1/admin/account-requests/${id}/review`,
      key: newKey(),
      body: { decision: 'approve', reason: 'Register extract seen' },
    } as const;
    return perform(await bank.admin('accounts:review'), made, { otherBody: { decision: 'reject' } });
  },
};

export const accounts: Stories = {
  ...requests,
  listAccountTypesAsAdmin: async (bank) => {
    const { admin } = await typeMade(bank);
    return perform(admin, { method: 'GET', path: '/v1/admin/account-types' });
  },
  createAccountType: async (bank) => {
    const body = { ...newType(), max_balance: { amount: '1000.00', currency: 'EUR' } };
    return performBesideAnother(
      bank,
      await bank.admin('account_types:write'),
      { method: 'POST', path: '/v1/admin/account-types', key: newKey(), body },
      { otherBody: { ...body, name: 'Another' } },
    );
  },
  getAccountType: aboutType('GET'),
  updateAccountType: aboutType('PATCH', { name: 'Account of another story', enabled: false }),
  deleteAccountType: aboutType('DELETE'),
  listAccountsAsAdmin: read('accounts:read', () => '/v1/admin/accounts'),
  countAccounts: read('accounts:read', () => '/v1/admin/accounts/count'),
  getAccountAsAdmin: read('accounts:read', ({ id }) => `/v1/admin/accounts/${id}`),
  listAccountTransfers: read('transfers:read', ({ id }) => `/v1/admin/accounts/${id}/transfers`),
  listAccountTransactionsAsAdmin: read('accounts:read', ({ id }) => `/v1/admin/accounts/${id}/transactions`),
  openAccountForUser: async (bank) => {
    const [type] = await bank.asOwner(`select id from account_types where code = 'business_eur'`);
    const body = { user_id: (await bank.customer()).id, account_type_id: type?.['id'] };
    return perform(
      await bank.admin('accounts:write'),
      { method: 'POST', path: '/v1/admin/accounts', key: newKey(), body },
      { otherBody: { ...body, nickname: 'Shop' } },
    );
  },
  setAccountStatus: async (bank) => {
    const { id } = await bank.account(await bank.customer());
    return perform(await bank.admin('accounts:write'), {
      method: 'PATCH',
      path: `/v1/admin/accounts/${id}/status`,
      body: { status: 'blocked', reason: 'Asked for by phone' },
    });
  },
  setAccountLimits: async (bank) => {
    const { id } = await bank.account(await bank.customer());
    return performBesideAnother(bank, await bank.admin('accounts:write'), {
      method: 'PATCH',
      path: `/v1/admin/accounts/${id}/limits`,
      body: { overdraft_limit: { amount: '500.00', currency: 'EUR' }, reason: 'Salary comes in here' },
    });
  },
  raiseAmlFlag: async (bank) => {
    const { id } = await bank.account(await bank.customer());
    return perform(
      await bank.admin('aml:review'),
      {
        method: 'POST',
        path: `/v1/admin/accounts/${id}/aml-flag`,
        key: newKey(),
        body: { reason: 'Many small credits' },
      },
      { otherBody: { reason: 'Another' } },
    );
  },
  clearAmlFlag: async (bank) => {
    const account = await bank.account(await bank.customer());
    await flag(bank, account);
    return perform(
      await bank.admin('aml:review'),
      {
        method: 'POST',
        path: `/v1/admin/accounts/${account.id}/aml-flag/clear`,
        key: newKey(),
        body: { reason: 'Invoices were shown' },
      },
      { otherBody: { reason: 'Another' } },
    );
  },
  updateAccount: async (bank) => {
    const customer = await bank.customer();
    const { id } = await bank.account(customer);
    return perform(customer, { method: 'PATCH', path: `/v1/accounts/${id}`, body: { nickname: 'Holidays' } });
  },
  closeAccount: async (bank) => {
    const customer = await bank.customer();
    const { id } = await bank.account(customer);
    const stepUp = await customer.stepUp('closeAccount');
    return perform(customer, { method: 'POST', path: `/v1/accounts/${id}/close`, stepUp, key: newKey() });
  },
};
