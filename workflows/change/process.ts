/** How the process is started and found. */
import type { ProcessOf } from '../process-of.ts';

export const changeProcess: ProcessOf<'change'> = {
  name: 'change',
  type: 'change',
  workflowId: (id) => `change/${id}`,
  idOf: (order) => order.id,
  summary: (order) => `Change ${order.id}`,
};
