/** The happy paths of what is read from the books: movements, balances, recipients, search. */
import type { Person } from '../../support/bank/bank.ts';
import { perform, type Performed, type Stories, type Story } from '../story.ts';

const read = (person: Person, path: string, more: Pick<Performed, 'stranger'> = {}): Promise<Performed> =>
  perform(person, { method: 'GET', path }, more);

const ofOwner =
  (path: string): Story =>
  async (bank) => {
    const customer = await bank.customer();
    await bank.fundedAccount(customer, '10.00');
    return read(customer, path);
  };

const payer =
  (path: string): Story =>
  async (bank) => {
    const customer = await bank.customer();
    const from = await bank.fundedAccount(customer, '10.00');
    const to = await bank.account(customer);
    await bank.transfer(customer, { from: from.id, to: to.id, amount: '1.00', description: 'Rent' });
    return read(customer, path);
  };

export const reads: Stories = {
  getAccountsSummary: ofOwner('/v1/accounts/summary'),
  getAllBalanceHistory: ofOwner('/v1/accounts/balance-history'),
  getBalanceHistory: async (bank) => {
    const customer = await bank.customer();
    const account = await bank.fundedAccount(customer, '10.00');
    const stranger = { token: (await bank.customer()).token };
    return read(customer, `/v1/accounts/${account.id}/balance-history`, { stranger });
  },
  listRecentRecipients: payer('/v1/transfers/recipients'),
  search: payer('/v1/search?q=rnet'),
  countTransfers: async (bank) => read(await bank.admin('transfers:read'), '/v1/admin/transfers/count'),
  getTrialBalance: async (bank) => {
    await bank.fundedAccount(await bank.customer(), '10.00');
    return read(await bank.admin('ledger:read'), '/v1/admin/ledger/trial-balance');
  },
};
