/** What both sides of the counter do with a ticket: look, say something. */
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  attachmentsOf,
  messageOf,
  messagesOf,
  ticketOf,
  type TicketMessageRow,
  type TicketRow,
} from '../../db/queries/tickets.ts';
import { rows } from '../../db/sql.ts';
import { TicketMessageId, type TicketId, type UserId } from '../../domain/ids.ts';
import { Refusal } from '../../domain/refusals.ts';
import { statusAfterMessage, type TicketSide } from '../../domain/tickets.ts';
import type { Services } from '../services.ts';
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
  const attachments = await attachmentsOf(
    db,
    messages.map(({ id }) => id),
  );
  return ticketDetailView(ticket, messages, attachments, storage);
}

/** Adds a message and moves the ticket's status. The ticket must be locked by the caller. Refuses ticket_closed. */
export async function say(
  db: EntityManager,
  ticket: TicketRow,
  words: { id: string; author: UserId; side: TicketSide; body: string },
): Promise<TicketMessageRow> {
  if (ticket.status === 'closed') throw new Refusal('ticket_closed');
  const [message] = await rows<TicketMessageRow>(
    db,
    `insert into ticket_messages (id, ticket_id, author_id, side, body) values ($1, $2, $3, $4, $5)
     returning id, author_id, side, body, created_at`,
    [TicketMessageId.parse(words.id), ticket.id, words.author, words.side, words.body],
  );
  if (message === undefined) throw new Error('the message was not written');
  const status = statusAfterMessage(ticket.status, words.side);
  await rows(db, 'update tickets set status = $2, last_activity_at = now() where id = $1', [
    ticket.id,
    status,
  ]);
  return message;
}
