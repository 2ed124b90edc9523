/** How the process is started and found. */
import type { ProcessOf } from '../../domain/process.ts';
import type * as workflow from './workflow.ts';

export const messageProcess: ProcessOf<typeof workflow, 'message'> = {
  name: 'message',
  type: 'message',
  workflowId: (id) => `message/${id}`,
  idOf: (order) => order.id,
  customerOf: (order) => order.userId,
  summary: (order) => `${order.template} by ${order.channel}`,
};
