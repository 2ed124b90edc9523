/** How the process is started and found. */
import type { ProcessOf } from '../process-of.ts';

export const uploadProcess: ProcessOf<'upload'> = {
  name: 'upload',
  type: 'upload',
  workflowId: (id) => `upload/${id}`,
  idOf: (order) => order.id,
  customerOf: (order) => order.uploaderId,
  summary: (order) => `Upload ${order.id}`,
};
