/** Tickets, what is written in them, and the files on that. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { TicketId, TicketMessageId, UploadId, UserId } from '../../domain/ids.ts';
import { TICKET_CATEGORIES, TICKET_SIDES, TICKET_STATUSES } from '../../domain/tickets/tickets.ts';

/**
 * A conversation between a customer and support. A closed ticket stays closed; `closedBy` is null if the timer closed it.
 */
export const Ticket = defineEntity({
  name: 'Ticket',
  tableName: 'tickets',
  properties: {
    id: p.uuid().$type<TicketId>().primary(),
    number: p.text().defaultRaw(`('T-' || nextval('ticket_numbers'))`),
    customerId: p.uuid().$type<UserId>(),
    subject: p.text(),
    category: p.enum(TICKET_CATEGORIES),
    status: p.enum(TICKET_STATUSES).default('open'),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    lastActivityAt: p.datetime(3).defaultRaw('bank_now()'),
    closedAt: p.datetime(3).strictNullable(),
    closedBy: p.uuid().$type<UserId>().strictNullable(),
    closeReason: p.text().strictNullable(),
  },
});
export type Ticket = InferEntity<typeof Ticket>;

/** What one side wrote. The application can only add messages. */
export const TicketMessage = defineEntity({
  name: 'TicketMessage',
  tableName: 'ticket_messages',
  properties: {
    id: p.uuid().$type<TicketMessageId>().primary(),
    ticketId: p.uuid().$type<TicketId>(),
    authorId: p.uuid().$type<UserId>(),
    side: p.enum(TICKET_SIDES),
    body: p.text(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type TicketMessage = InferEntity<typeof TicketMessage>;

/** Ties a file to a message. */
export const TicketAttachment = defineEntity({
  name: 'TicketAttachment',
  tableName: 'ticket_attachments',
  properties: {
    uploadId: p.uuid().$type<UploadId>().primary(),
    messageId: p.uuid().$type<TicketMessageId>(),
  },
});
export type TicketAttachment = InferEntity<typeof TicketAttachment>;
