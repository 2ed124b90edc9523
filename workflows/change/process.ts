/** How the process is started and found. */
import type { ProcessOf } from '../../domain/process.ts';
import type * as workflow from './workflow.ts';

export const changeProcess: ProcessOf<typeof workflow, 'change'> = {
  name: 'change',
  type: 'change',
  workflowId: (id) => `change/${id}`,
  idOf: (order) => order.id,
  summary: (order) => `Change ${order.id}`,
};
