/** How the process is started and found. */
import type { ProcessOf } from '../process-of.ts';

export const accountRequestProcess: ProcessOf<'accountRequest'> = {
  name: 'account-request',
  type: 'accountRequest',
  workflowId: (id) => `account-request/${id}`,
  idOf: (order) => order.id,
  customerOf: (order) => order.customerId,
  summary: (order) => `Account request ${order.id}`,
};
