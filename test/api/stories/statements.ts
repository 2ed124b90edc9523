/** The happy paths of statements. */
import { perform, type Stories } from '../story.ts';

export const statements: Stories = {
  getAccountStatement: async (bank) => {
    const owner = await bank.customer();
    const { id } = await bank.fundedAccount(owner, '100.00');
    return perform(owner, { method: 'GET', path: `/v1/accounts/${id}/statement` });
  },
  exportAccountStatement: async (bank) => {
    const { id } = await bank.fundedAccount(await bank.customer(), '100.00');
    const admin = await bank.admin('statements:export');
    return perform(admin, { method: 'GET', path: `/v1/admin/accounts/${id}/statement` });
  },
};
