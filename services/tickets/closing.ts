/** Closing a ticket: an administrator's decision is brought to its process, which carries it out. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { record } from '../../db/queries/platform/audit.ts';
import { closeTicketBy, ticketOf } from '../../db/queries/tickets/tickets.ts';
import type { Person } from '../../domain/actor.ts';
import type { TicketId } from '../../domain/ids.ts';
import type { Refused } from '../../domain/process.ts';
import { found } from '../../domain/refusals.ts';
import { close, type TicketClosed, type TicketClosing } from '../../workflows/ticket/contract.ts';
import type { Call } from '../callers.ts';
import { decideOrRecover } from '../platform/recovery.ts';
import type { Services } from '../services.ts';
import { ticketRecovery } from './recovery.ts';

interface Deciding extends Call<'ticket_closed'> {
  readonly actor: Person;
  /** The same for every repeat, which is answered as the first was, also if the process is over. */
  readonly newId: string;
}

/** Has the ticket closed, and tells since when it is. */
export async function decideToClose(
  { db, actor, refusal, newId }: Deciding,
  id: TicketId,
  reason: string | null,
  { processes }: Pick<Services, 'processes'>,
): Promise<Date> {
  found(await ticketOf(db, null, id));
  const closing = { by: actor.id, reason, requestId: actor.requestId };
  const answer = await decideOrRecover(ticketRecovery, { db, processes }, id, close, closing, newId);
  const { closedAt } = found(await ticketOf(db, null, id));
  // without a process and not closed: it has not been started yet
  if (closedAt === null) throw refusal('unavailable', { retryAfter: 2 });
  if (answer === 'ended') throw refusal('ticket_closed');
  return closedAt;
}

/** Closes a ticket by an administrator's decision, in the caller's transaction. Refuses ticket_closed if somebody else was first. */
export async function closeTicket(
  db: EntityManager,
  id: TicketId,
  { by, reason, requestId }: TicketClosing,
): Promise<TicketClosed | Refused> {
  const before = await ticketOf(db, null, id, true);
  if (before === undefined) return { refused: 'not_found' };
  // a repeat finds its own work
  if (before.status === 'closed')
    return before.closedBy === by ? { status: 'closed' } : { refused: 'ticket_closed' };
  await closeTicketBy(db, id, { closedBy: by, closeReason: reason });
  const decider = { id: by, role: 'admin', requestId } as const;
  await record(db, decider, {
    action: 'ticket.closed',
    subject: ['ticket', id],
    before: { status: before.status },
    after: { status: 'closed' },
    reason,
  });
  return { status: 'closed' };
}
