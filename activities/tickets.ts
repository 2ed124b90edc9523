/** Closing tickets. */
import { closeIfIdle } from '../db/queries/tickets/tickets.ts';
import { transaction } from '../db/transaction.ts';
import type { TicketId } from '../domain/ids.ts';
import type { Refused } from '../domain/process.ts';
import { CLOSE_IDLE_AFTER_DAYS } from '../domain/tickets/tickets.ts';
import { closeTicket } from '../services/tickets/closing.ts';
import type { TicketClosed, TicketClosing } from '../workflows/ticket/contract.ts';
import type { ActivityDeps } from './deps.ts';

export interface TicketActivities {
  /** Closes by an administrator's decision, and writes down whose. Refuses ticket_closed if somebody else was first. */
  closeTicket(id: TicketId, closing: TicketClosing): Promise<TicketClosed | Refused>;
  /** Closes a ticket that has waited for its customer too long; else says when it could have, at the earliest. */
  closeIfIdle(id: TicketId): Promise<{ readonly closed: boolean; readonly askAgainInSeconds: number }>;
}

export function ticketActivities({ em }: Pick<ActivityDeps, 'em'>): TicketActivities {
  return {
    closeTicket: (id, closing) => transaction(em(), (tx) => closeTicket(tx, id, closing)),

    closeIfIdle: async (id) =>
      (await closeIfIdle.first(em(), { id, days: CLOSE_IDLE_AFTER_DAYS })) ?? {
        closed: true,
        askAgainInSeconds: 0,
      },
  };
}
