/** How the process is started and found. */
import type { ProcessOf } from '../process-of.ts';

export const orderProcess: ProcessOf<'cryptoOrder'> = {
  name: 'crypto-order',
  type: 'cryptoOrder',
  workflowId: (id) => `crypto-order/${id}`,
  idOf: (order) => order.id,
  customerOf: (order) => order.customerId,
  summary: (order) => `Order of coins ${order.id}`,
};
