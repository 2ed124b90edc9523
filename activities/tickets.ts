/** Closing tickets. */
import { record } from '../db/queries/platform/audit.ts';
import { closeIfIdle, closeTicketBy, ticketOf } from '../db/queries/tickets/tickets.ts';
import type { TicketId } from '../domain/ids.ts';
import type { Refused } from '../domain/process.ts';
import { CLOSE_IDLE_AFTER_DAYS } from '../domain/tickets/tickets.ts';
import type { TicketClosed, TicketClosing } from '../workflows/ticket/contract.ts';
import type { ActivityDeps } from './deps.ts';
import { transaction } from '../db/transaction.ts';

export interface TicketActivities {
  /** Closes by an administrator's word, and writes down whose. Refuses ticket_closed where somebody else was first. */
  closeTicket(id: TicketId, closing: TicketClosing): Promise<TicketClosed | Refused>;
  /** Closes a ticket that has waited for its customer too long; else says when it could have, at the earliest. */
  closeIfIdle(id: TicketId): Promise<{ readonly closed: boolean; readonly askAgainInSeconds: number }>;
}

export function ticketActivities({ em }: Pick<ActivityDeps, 'em'>): TicketActivities {
  return {
    closeTicket: (id, { by, reason, requestId }) =>
      transaction(em(), async (tx) => {
        const before = await ticketOf(tx, null, id, true);
        if (before === undefined) return { refused: 'not_found' };
        // a repeat of the same word finds its own work
        if (before.status === 'closed')
          return before.closedBy === by ? { status: 'closed' } : { refused: 'ticket_closed' };
        await closeTicketBy(tx, id, { closedBy: by, closeReason: reason });
        await record(tx, {
          actorId: by,
          actorRole: 'admin',
          action: 'ticket.closed',
          subjectType: 'ticket',
          subjectId: id,
          before: { status: before.status },
          after: { status: 'closed' },
          ...(reason === null ? {} : { reason }),
          requestId,
        });
        return { status: 'closed' };
      }),

    closeIfIdle: async (id) =>
      (await closeIfIdle.first(em(), { id, days: CLOSE_IDLE_AFTER_DAYS })) ?? {
        closed: true,
        askAgainInSeconds: 0,
      },
  };
}
