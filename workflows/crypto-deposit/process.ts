/** How the process is started and found. */
import type { ProcessOf } from '../process-of.ts';

export const depositProcess: ProcessOf<'cryptoDeposit'> = {
  name: 'crypto-deposit',
  type: 'cryptoDeposit',
  workflowId: (id) => `crypto-deposit/${id}`,
  idOf: (order) => order.id,
  customerOf: (order) => order.customerId,
  summary: (order) => `Deposit ${order.id}`,
};
