/** How the process is started and found. */
import type { ProcessOf } from '../process-of.ts';

export const ticketProcess: ProcessOf<'ticket'> = {
  name: 'ticket',
  type: 'ticket',
  workflowId: (id) => `ticket/${id}`,
  idOf: (order) => order.id,
  customerOf: (order) => order.customerId,
  summary: (order) => `Ticket ${order.id}`,
};
