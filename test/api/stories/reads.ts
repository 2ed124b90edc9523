/** The happy paths of what is read from the books: movements, balances, recipients, search. */
import { openBank, type Person } from '../../support/bank.ts';
import type { Made, Performed, Stories } from '../story.ts';

type Bank = ReturnType<typeof openBank>;

function told(story: (bank: Bank) => Promise<Performed>): () => Promise<Performed> {
  return async () => {
    const bank = openBank();
    try {
      return await story(bank);
    } finally {
      await bank.close();
    }
  };
}

async function perform(person: Person, path: string, more: Partial<Performed> = {}): Promise<Performed> {
  const made: Made = { method: 'GET', path, token: person.token };
  return { made, answer: await person.client.call('GET', path, made), ...more };
}

const ofOwner = (path: string) =>
  told(async (bank) => {
    const customer = await bank.customer();
    await bank.fundedAccount(customer, '10.00');
    return perform(customer, path);
  });

const payer = (path: string) =>
  told(async (bank) => {
    const customer = await bank.customer();
    const from = await bank.fundedAccount(customer, '10.00');
    const to = await bank.account(customer);
    await bank.transfer(customer, { from: from.id, to: to.id, amount: '1.00', description: 'Rent' });
    return perform(customer, path);
  });

export const reads: Stories = {
  getAccountsSummary: ofOwner('/v1/accounts/summary'),
  getAllBalanceHistory: ofOwner('/v1/accounts/balance-history'),
  getBalanceHistory: told(async (bank) => {
    const customer = await bank.customer();
    const account = await bank.fundedAccount(customer, '10.00');
    const stranger = { token: (await bank.customer()).token };
    return perform(customer, `/v1/accounts/${account.id}/balance-history`, { stranger });
  }),
  listRecentRecipients: payer('/v1/transfers/recipients'),
  search: payer('/v1/search?q=rnet'),
  countTransfers: told(async (bank) =>
    perform(await bank.admin('transfers:read'), '/v1/admin/transfers/count'),
  ),
  getTrialBalance: told(async (bank) => {
    await bank.fundedAccount(await bank.customer(), '10.00');
    return perform(await bank.admin('ledger:read'), '/v1/admin/ledger/trial-balance');
  }),
};
