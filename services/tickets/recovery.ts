/** How the processes of tickets are found and started again once they are lost. */
import { overdueTickets } from '../../db/queries/platform/overdue.ts';
import { ticketOf } from '../../db/queries/tickets/tickets.ts';
import { TicketId } from '../../domain/ids.ts';
import { CLOSE_IDLE_AFTER_DAYS } from '../../domain/tickets/tickets.ts';
import type { TicketOrder } from '../../workflows/ticket/contract.ts';
import { ticketProcess } from '../../workflows/ticket/process.ts';
import type { Recovery } from '../platform/recovery.ts';

export const ticketRecovery: Recovery<TicketOrder> = {
  process: ticketProcess,
  async orderOf(db, id) {
    const ticket = await ticketOf(db, null, TicketId.parse(id));
    if (ticket === undefined || ticket.status === 'closed') return undefined;
    return { id: ticket.id, customerId: ticket.customerId };
  },
  overdue: (db, page) => overdueTickets.all(db, { ...page, idleDays: CLOSE_IDLE_AFTER_DAYS }),
  atTime: 'wakes',
};
