/** How the process is started and found. */
import type { ProcessOf } from '../process-of.ts';

export const walletsProcess: ProcessOf<'cryptoWallets'> = {
  name: 'crypto-wallets',
  type: 'cryptoWallets',
  workflowId: (id) => `crypto-wallets/${id}`,
  idOf: (order) => order.id,
  customerOf: (order) => order.customerId,
  summary: (order) => `Wallets in vault ${order.id}`,
};
