/** What both sides of the counter do with a ticket: look, say something. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { attachmentsOf } from '../../db/queries/tickets/attachments.ts';
import {
  countMessages,
  insertMessage,
  messageOf,
  messagesOf,
  type TicketMessageRow,
} from '../../db/queries/tickets/messages.ts';
import { ticketOf, type TicketRow } from '../../db/queries/tickets/tickets.ts';
import { TicketMessageId, type TicketId, type UserId } from '../../domain/ids.ts';
import { Refusal } from '../../domain/refusals.ts';
import { MAX_TICKET_MESSAGES, statusAfterMessage, type TicketSide } from '../../domain/tickets/tickets.ts';
import type { Services } from '../../services/services.ts';
import { ticketDetailView } from './views.ts';

/** A ticket that this side may see: a customer's own, or anybody's for support. Refuses not_found. */
export async function visibleTicket(
  db: EntityManager,
  customer: UserId | null,
  id: TicketId,
  lock = false,
): Promise<TicketRow> {
  const ticket = await ticketOf(db, customer, id, lock);
  if (ticket === undefined) throw new Refusal('not_found');
  return ticket;
}

/** A message of such a ticket. Refuses not_found, also for a message of another ticket. */
export async function visibleMessage(
  db: EntityManager,
  customer: UserId | null,
  path: { id: TicketId; message_id: TicketMessageId },
): Promise<{ ticket: TicketRow; message: TicketMessageRow }> {
  const ticket = await visibleTicket(db, customer, path.id);
  const message = await messageOf(db, ticket.id, path.message_id);
  if (message === undefined) throw new Refusal('not_found');
  return { ticket, message };
}

/** The whole conversation. */
export async function conversation(
  db: EntityManager,
  ticket: TicketRow,
  { storage }: Pick<Services, 'storage'>,
) {
  const messages = await messagesOf(db, ticket.id);
  const attachments = await attachmentsOf.all(db, { messages: messages.map(({ id }) => id) });
  return ticketDetailView(ticket, messages, attachments, storage);
}

/**
 * Adds a message, under the given id or a new one, and moves the ticket's status. The caller holds the ticket's lock.
 * Refuses ticket_closed, ticket_full.
 */
export async function say(
  db: EntityManager,
  ticket: TicketRow,
  words: { id: string | null; author: UserId; side: TicketSide; body: string },
): Promise<TicketMessageRow> {
  if (ticket.status === 'closed') throw new Refusal('ticket_closed');
  const { count } = await countMessages.one(db, { ticketId: ticket.id });
  if (count >= MAX_TICKET_MESSAGES) throw new Refusal('ticket_full');
  return insertMessage.one(db, {
    id: words.id === null ? null : TicketMessageId.parse(words.id),
    ticketId: ticket.id,
    status: statusAfterMessage(ticket.status, words.side),
    authorId: words.author,
    side: words.side,
    body: words.body,
  });
}
