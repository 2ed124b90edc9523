import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { UploadId, TicketId, TicketMessageId, UserId } from '../../domain/ids.ts';
import type { TicketCategory, TicketSide, TicketStatus } from '../../domain/tickets.ts';

/** A conversation between a customer and support. Closed is final; `closedBy` is null where the timer closed it. */
export const Ticket = defineEntity({
  name: 'Ticket',
  tableName: 'tickets',
  properties: {
    id: p.uuid().primary().$type<TicketId>(),
    number: p.text().unique().defaultRaw(`'T-' || nextval('ticket_numbers')`),
    customerId: p.uuid().$type<UserId>(),
    subject: p.text(),
    category: p.text().$type<TicketCategory>(),
    status: p.text().$type<TicketStatus>().default('open'),
    createdAt: p.datetime(3).defaultRaw('now()'),
    lastActivityAt: p.datetime(3).defaultRaw('now()'),
    closedAt: p.datetime(3).nullable(),
    closedBy: p.uuid().$type<UserId>().nullable(),
    closeReason: p.text().nullable(),
  },
});
export type Ticket = InferEntity<typeof Ticket>;

/** What one side said. Never changed: the application's role may only add. */
export const TicketMessage = defineEntity({
  name: 'TicketMessage',
  tableName: 'ticket_messages',
  properties: {
    id: p.uuid().primary().$type<TicketMessageId>(),
    ticket: () => p.manyToOne(Ticket),
    authorId: p.uuid().$type<UserId>(),
    side: p.text().$type<TicketSide>(),
    body: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});
export type TicketMessage = InferEntity<typeof TicketMessage>;

/** Ties a file to a message; the attachment's id is that of its upload. */
export const TicketAttachment = defineEntity({
  name: 'TicketAttachment',
  tableName: 'ticket_attachments',
  properties: {
    uploadId: p.uuid().primary().$type<UploadId>(),
    message: () => p.manyToOne(TicketMessage),
  },
});
export type TicketAttachment = InferEntity<typeof TicketAttachment>;
