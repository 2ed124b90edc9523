/** How the process is started and found. */
import type { ProcessOf } from '../process-of.ts';

export const disputeProcess: ProcessOf<'cardDispute'> = {
  name: 'card-dispute',
  type: 'cardDispute',
  workflowId: (id) => `card-dispute/${id}`,
  idOf: (order) => order.id,
  customerOf: (order) => order.customerId,
  summary: (order) => `Dispute ${order.id}`,
};
