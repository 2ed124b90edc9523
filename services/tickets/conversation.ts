/** What both sides of the counter write in a ticket. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../adapters/cipher.ts';
import { mailAddressOf } from '../../db/queries/identity/people/mail-addresses.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { launch } from '../../db/queries/platform/outbox.ts';
import { attachmentsOf, type AttachmentRow } from '../../db/queries/tickets/attachments.ts';
import {
  countMessages,
  insertMessage,
  messagesOf,
  type TicketMessageRow,
} from '../../db/queries/tickets/messages.ts';
import { insertTicket, ticketOf, type TicketRow } from '../../db/queries/tickets/tickets.ts';
import type { Person } from '../../domain/actor.ts';
import { TicketMessageId, type TicketId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import {
  MAX_TICKET_MESSAGES,
  statusAfterMessage,
  type TicketCategory,
  type TicketSide,
} from '../../domain/tickets/tickets.ts';
import { ticketProcess } from '../../workflows/ticket/process.ts';
import type { Call } from '../callers.ts';
import { notify } from '../notifications/events.ts';

interface Writing extends Call<'ticket_closed' | 'ticket_full'> {
  readonly actor: Person;
  /** The message's id, the same for every repeat. */
  readonly newId: string;
}

/** A ticket with all that was written in it. */
export interface Conversation {
  readonly ticket: TicketRow;
  readonly messages: readonly TicketMessageRow[];
  readonly attachments: readonly AttachmentRow[];
}

export async function conversationOf(db: EntityManager, ticket: TicketRow): Promise<Conversation> {
  const messages = await messagesOf(db, ticket.id);
  const attachments = await attachmentsOf.all(db, { messages: messages.map(({ id }) => id) });
  return { ticket, messages, attachments };
}

/** Opens a ticket with its first message. */
export async function openTicket(
  { db, actor }: Call & { readonly actor: Person },
  id: TicketId,
  { body, ...ticket }: { readonly subject: string; readonly category: TicketCategory; readonly body: string },
): Promise<Conversation> {
  await insertTicket(db, { id, customerId: actor.id, ...ticket });
  const first = { id: null, ticketId: id, authorId: actor.id, side: 'customer', body } as const;
  await insertMessage.one(db, { ...first, status: 'open' });
  await launch(db, ticketProcess, { id, customerId: actor.id });
  const after = { status: 'open', category: ticket.category };
  await record(db, actor, { action: 'ticket.opened', subject: ['ticket', id], after });
  return conversationOf(db, found(await ticketOf(db, actor.id, id)));
}

/** A customer writes in a ticket of their own, which then waits for support. */
export async function writeInOwnTicket(call: Writing, id: TicketId, body: string): Promise<TicketMessageRow> {
  return write(call, found(await ticketOf(call.db, call.actor.id, id, true)), 'customer', body);
}

/** Support answers, and the customer is told that there is something to read. */
export async function answerTicket(
  call: Writing,
  id: TicketId,
  body: string,
  { cipher }: { readonly cipher: Cipher },
): Promise<TicketMessageRow> {
  const { db, actor } = call;
  const ticket = found(await ticketOf(db, null, id, true));
  const message = await write(call, ticket, 'support', body);
  const customer = await mailAddressOf(db, ticket.customerId);
  if (customer !== undefined)
    await notify(db, cipher, {
      userId: ticket.customerId,
      type: 'ticket_reply',
      locale: customer.locale,
      values: { number: ticket.number },
    });
  await record(db, actor, {
    action: 'ticket.answered',
    subject: ['ticket', id],
    before: { status: ticket.status },
    after: { status: 'waiting_for_customer', message_id: message.id },
  });
  return message;
}

/** The ticket is locked. */
async function write(
  { db, actor, refusal, newId }: Writing,
  { id: ticketId, status }: TicketRow,
  side: TicketSide,
  body: string,
): Promise<TicketMessageRow> {
  if (status === 'closed') throw refusal('ticket_closed');
  const { count } = await countMessages.one(db, { ticketId });
  if (count >= MAX_TICKET_MESSAGES) throw refusal('ticket_full');
  const message = { id: TicketMessageId.parse(newId), ticketId, authorId: actor.id, side, body };
  return insertMessage.one(db, { ...message, status: statusAfterMessage(status, side) });
}
