/** How the process is started and found. */
import type { ProcessOf } from '../process-of.ts';

export const messageProcess: ProcessOf<'message'> = {
  name: 'message',
  type: 'message',
  workflowId: (id) => `message/${id}`,
  idOf: (order) => order.id,
  customerOf: (order) => order.userId,
  summary: (order) => `${order.template} by ${order.channel}`,
};
