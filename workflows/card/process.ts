/** How the process is started and found. */
import type { ProcessOf } from '../process-of.ts';

export const cardProcess: ProcessOf<'card'> = {
  name: 'card',
  type: 'card',
  workflowId: (id) => `card/${id}`,
  idOf: (order) => order.id,
  customerOf: (order) => order.customerId,
  summary: (order) => `Card ${order.id}`,
};
