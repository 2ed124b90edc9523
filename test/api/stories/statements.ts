/** The happy paths of statements. */
import { openBank } from '../../support/bank.ts';
import type { Stories } from '../story.ts';

export const statements: Stories = {
  getAccountStatement: async () => {
    const bank = openBank();
    try {
      const owner = await bank.customer();
      const { id } = await bank.fundedAccount(owner, '100.00');
      const made = { method: 'GET', path: `/v1/accounts/${id}/statement`, token: owner.token } as const;
      return { made, answer: await owner.client.call(made.method, made.path, made) };
    } finally {
      await bank.close();
    }
  },
  exportAccountStatement: async () => {
    const bank = openBank();
    try {
      const { id } = await bank.fundedAccount(await bank.customer(), '100.00');
      const admin = await bank.admin('statements:export');
      const made = { method: 'GET', path: `/v1/admin/accounts/${id}/statement`, token: admin.token } as const;
      return { made, answer: await admin.client.call(made.method, made.path, made) };
    } finally {
      await bank.close();
    }
  },
};
