/** How the process is started and found. */
import type { ProcessOf } from '../../domain/process.ts';
import type * as workflow from './workflow.ts';

export const accountRequestProcess: ProcessOf<typeof workflow, 'accountRequest'> = {
  name: 'account-request',
  type: 'accountRequest',
  workflowId: (id) => `account-request/${id}`,
  idOf: (order) => order.id,
  customerOf: (order) => order.customerId,
  summary: (order) => `Account request ${order.id}`,
};
