/** How the process is started and found. */
import type { ProcessOf } from '../process-of.ts';

export const kybProcess: ProcessOf<'kyb'> = {
  name: 'kyb',
  type: 'kyb',
  workflowId: (id) => `kyb/${id}`,
  idOf: (order) => order.id,
  customerOf: (order) => order.customerId,
  summary: (order) => `Company check ${order.id}`,
};
