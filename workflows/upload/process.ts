/** How the process is started and found. */
import type { ProcessOf } from '../../domain/process.ts';
import type * as workflow from './workflow.ts';

export const uploadProcess: ProcessOf<typeof workflow, 'upload'> = {
  name: 'upload',
  type: 'upload',
  workflowId: (id) => `upload/${id}`,
  idOf: (order) => order.id,
  customerOf: (order) => order.uploaderId,
  summary: (order) => `Upload ${order.id}`,
};
