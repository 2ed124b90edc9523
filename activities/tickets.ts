/** Closing tickets. */
import { record } from '../db/audit.ts';
import { row } from '../db/sql.ts';
import type { TicketId } from '../domain/ids.ts';
import type { Refused } from '../domain/process.ts';
import { CLOSE_IDLE_AFTER_DAYS } from '../domain/tickets.ts';
import type { TicketClosed, TicketClosing } from '../workflows/ticket/contract.ts';
import type { ActivityDeps } from './deps.ts';

export interface TicketActivities {
  /** Closes by an administrator's word, and writes down whose. Refuses ticket_closed where somebody else was first. */
  closeTicket(id: TicketId, closing: TicketClosing): Promise<TicketClosed | Refused>;
  /** Closes a ticket that has waited for its customer too long; else says when it could have, at the earliest. */
  closeIfIdle(id: TicketId): Promise<{ readonly closed: boolean; readonly askAgainInSeconds: number }>;
}

export function ticketActivities({ em }: Pick<ActivityDeps, 'em'>): TicketActivities {
  return {
    closeTicket: (id, { by, reason, requestId }) =>
      em().transactional(async (tx) => {
        const before = await row<{ status: string; closed_by: string | null }>(
          tx,
          'select status, closed_by from tickets where id = $1 for update',
          [id],
        );
        if (before === undefined) return { refused: 'not_found' };
        // a repeat of the same word finds its own work
        if (before.status === 'closed')
          return before.closed_by === by ? { status: 'closed' } : { refused: 'ticket_closed' };
        await row(
          tx,
          `update tickets set status = 'closed', closed_at = now(), closed_by = $2, close_reason = $3 where id = $1`,
          [id, by, reason],
        );
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

    async closeIfIdle(id) {
      const ticket = await row<{ closed: boolean; again: number }>(
        em(),
        `with idle as (
           update tickets set status = 'closed', closed_at = now() where id = $1 and status = 'waiting_for_customer'
             and last_activity_at <= now() - make_interval(days => $2) returning id)
         select exists (select from idle) or status = 'closed' as closed,
                greatest(60, ceil(extract(epoch from
                  case when status = 'waiting_for_customer' then last_activity_at else now() end + make_interval(days => $2) - now())))::int as again
           from tickets where id = $1`,
        [id, CLOSE_IDLE_AFTER_DAYS],
      );
      return { closed: ticket?.closed ?? true, askAgainInSeconds: ticket?.again ?? 0 };
    },
  };
}
