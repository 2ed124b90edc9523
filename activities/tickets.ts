/** Closing tickets. */
import { closeIfIdle } from '../db/queries/tickets/tickets.ts';
import { transaction } from '../db/transaction.ts';
import { CLOSE_IDLE_AFTER_DAYS } from '../domain/tickets/tickets.ts';
import { closeTicket } from '../services/tickets/closing.ts';
import type { TicketActivities } from '../workflows/ticket/workflow.ts';
import type { ActivityDeps } from './deps.ts';

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
