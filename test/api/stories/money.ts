/** The happy paths of accounts, transfers and adjustments. */
import { TransferAnswer, type AccountAnswer, type Bank, type Person } from '../../support/bank/bank.ts';
import { newKey } from '../../support/client.ts';
import { perform, type Stories, type Story } from '../story.ts';

const get =
  (path: string): Story =>
  async (bank) => {
    const customer = await bank.customer();
    await bank.account(customer);
    return perform(customer, { method: 'GET', path });
  };

interface Payer {
  readonly customer: Person;
  readonly from: AccountAnswer;
  readonly to: AccountAnswer;
}

async function payer(bank: Bank, amount = '50000.00'): Promise<Payer> {
  const customer = await bank.customer();
  return { customer, from: await bank.fundedAccount(customer, amount), to: await bank.account(customer) };
}

const wish = ({ from, to }: Payer, amount: string) => ({
  source_account_id: from.id,
  destination: { account_id: to.id },
  amount: { amount, currency: 'EUR' },
});

async function pendingTransfer(bank: Bank): Promise<Payer & { id: string }> {
  const who = await payer(bank);
  const answer = await bank.transfer(who.customer, { from: who.from.id, to: who.to.id, amount: '20000.00' });
  return { ...who, id: answer.as(TransferAnswer).id };
}

const inAWeek = (): string => new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);

async function scheduled(bank: Bank): Promise<Payer & { id: string }> {
  const who = await payer(bank);
  const { customer } = who;
  const body = { ...wish(who, '1.00'), starts_on: inAWeek() };
  const stepUp = await customer.stepUp('createScheduledTransfer', body);
  const call = { token: customer.token, stepUp, key: newKey(), body };
  const answer = await customer.client.call('POST', '/v1/scheduled-transfers', call);
  return { ...who, id: answer.as(TransferAnswer).id };
}

const decide =
  (decision: string, body: object, otherBody: object): Story =>
  async (bank) => {
    const { id } = await pendingTransfer(bank);
    const admin = await bank.admin('transfers:review');
    return perform(
      admin,
      { method: 'POST', path: `/v1/admin/transfers/${id}/${decision}`, key: newKey(), body },
      { otherBody },
    );
  };

export const money: Stories = {
  listAccountTypes: get('/v1/account-types'),
  listAccounts: get('/v1/accounts'),
  listTransferTypes: get('/v1/transfer-types'),
  listTransfers: async (bank) => {
    const { customer } = await pendingTransfer(bank);
    return perform(customer, { method: 'GET', path: '/v1/transfers' });
  },
  openAccount: async (bank) => {
    const customer = await bank.customer();
    const [type] = await bank.asOwner(`select id from account_types where code = 'current_eur'`);
    const body = { account_type_id: type?.['id'], nickname: 'Household' };
    const stepUp = await customer.stepUp('openAccount');
    const otherBody = { ...body, nickname: 'Holidays' };
    return perform(
      customer,
      { method: 'POST', path: '/v1/accounts', stepUp, key: newKey(), body },
      { otherBody },
    );
  },
  getAccount: async (bank) => {
    const { customer, from } = await payer(bank);
    const stranger = { token: (await bank.customer()).token };
    return perform(customer, { method: 'GET', path: `/v1/accounts/${from.id}` }, { stranger });
  },
  listAccountTransactions: async (bank) => {
    const { customer, from } = await payer(bank);
    const stranger = { token: (await bank.customer()).token };
    return perform(customer, { method: 'GET', path: `/v1/accounts/${from.id}/transactions` }, { stranger });
  },
  quoteTransfer: async (bank) => {
    const who = await payer(bank);
    const call = {
      method: 'POST',
      path: '/v1/transfers/quote',
      key: newKey(),
      body: wish(who, '1.00'),
    } as const;
    return perform(who.customer, call, { otherBody: wish(who, '2.00') });
  },
  createTransfer: async (bank) => {
    const who = await payer(bank);
    const body = wish(who, '1.00');
    const stepUp = await who.customer.stepUp('createTransfer', body);
    const call = { method: 'POST', path: '/v1/transfers', stepUp, key: newKey(), body } as const;
    return perform(who.customer, call, { otherBody: wish(who, '2.00') });
  },
  getTransfer: async (bank) => {
    const { customer, id } = await pendingTransfer(bank);
    const stranger = { token: (await bank.customer()).token };
    return perform(customer, { method: 'GET', path: `/v1/transfers/${id}` }, { stranger });
  },
  cancelTransfer: async (bank) => {
    const { customer, id } = await pendingTransfer(bank);
    const other = await bank.customer();
    const stranger = { token: other.token, stepUp: await other.stepUp('cancelTransfer') };
    const stepUp = await customer.stepUp('cancelTransfer');
    return perform(
      customer,
      { method: 'POST', path: `/v1/transfers/${id}/cancel`, stepUp, key: newKey() },
      { stranger },
    );
  },
  listPendingTransfers: async (bank) => {
    await pendingTransfer(bank);
    return perform(await bank.admin('transfers:read'), {
      method: 'GET',
      path: '/v1/admin/transfers/pending',
    });
  },
  getTransferAsAdmin: async (bank) => {
    const { id } = await pendingTransfer(bank);
    return perform(await bank.admin('transfers:read'), { method: 'GET', path: `/v1/admin/transfers/${id}` });
  },
  executePendingTransfer: decide('execute', {}, { reason: 'other' }),
  rejectPendingTransfer: decide('reject', { reason: 'unknown payee' }, { reason: 'other' }),
  cancelPendingTransfer: decide('cancel', { reason: 'asked by phone' }, { reason: 'other' }),
  reverseTransfer: async (bank) => {
    const who = await payer(bank);
    const done = await bank.transfer(who.customer, { from: who.from.id, to: who.to.id, amount: '5.00' });
    const path = `/v1/admin/transfers/${done.as(TransferAnswer).id}/reverse`;
    const call = { method: 'POST', path, key: newKey(), body: { reason: 'booked twice' } } as const;
    return perform(await bank.admin('transfers:reverse'), call, { otherBody: { reason: 'other' } });
  },
  createScheduledTransfer: async (bank) => {
    const who = await payer(bank);
    const body = { ...wish(who, '1.00'), starts_on: inAWeek() };
    const stepUp = await who.customer.stepUp('createScheduledTransfer', body);
    const call = { method: 'POST', path: '/v1/scheduled-transfers', stepUp, key: newKey(), body } as const;
    return perform(who.customer, call, { otherBody: { ...body, ...wish(who, '2.00') } });
  },
  listScheduledTransfers: async (bank) => {
    const { customer } = await scheduled(bank);
    return perform(customer, { method: 'GET', path: '/v1/scheduled-transfers' });
  },
  getScheduledTransfer: async (bank) => {
    const { customer, id } = await scheduled(bank);
    const stranger = { token: (await bank.customer()).token };
    return perform(customer, { method: 'GET', path: `/v1/scheduled-transfers/${id}` }, { stranger });
  },
  cancelScheduledTransfer: async (bank) => {
    const { customer, id } = await scheduled(bank);
    const other = await bank.customer();
    const stranger = { token: other.token, stepUp: await other.stepUp('cancelScheduledTransfer') };
    const stepUp = await customer.stepUp('cancelScheduledTransfer');
    const path = `/v1/scheduled-transfers/${id}/cancel`;
    return perform(customer, { method: 'POST', path, stepUp, key: newKey() }, { stranger });
  },
  listLedgerEvents: async (bank) => {
    await payer(bank);
    return perform(await bank.admin('ledger:read'), {
      method: 'GET',
      path: '/v1/admin/ledger/events?limit=1',
    });
  },
  createAdjustment: async (bank) => {
    const account = await bank.account(await bank.customer());
    const body = {
      account_id: account.id,
      direction: 'credit',
      amount: { amount: '5.00', currency: 'EUR' },
      reason: 'goodwill',
    };
    const call = { method: 'POST', path: '/v1/admin/adjustments', key: newKey(), body } as const;
    return perform(await bank.admin('adjustments:write'), call, { otherBody: { ...body, reason: 'other' } });
  },
  decodePayloads: async (bank) =>
    perform(await bank.admin('processes:read'), {
      method: 'POST',
      path: '/v1/admin/codec/decode',
      body: { payloads: [{ metadata: { encoding: 'anNvbi9wbGFpbg==' }, data: 'Im9rIg==' }] },
    }),
  startReading: async (bank) =>
    perform(await bank.admin('processes:read'), { method: 'POST', path: '/v1/admin/codec/session' }),
  stopReading: async (bank) =>
    perform(await bank.admin('processes:read'), { method: 'DELETE', path: '/v1/admin/codec/session' }),
};
