/** How the process is started and found. */
import type { ProcessOf } from '../../domain/process.ts';
import type * as workflow from './workflow.ts';

export const ticketProcess: ProcessOf<typeof workflow, 'ticket'> = {
  name: 'ticket',
  type: 'ticket',
  workflowId: (id) => `ticket/${id}`,
  idOf: (order) => order.id,
  customerOf: (order) => order.customerId,
  summary: (order) => `Ticket ${order.id}`,
};
