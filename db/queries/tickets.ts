/** Tickets, their messages and attachments: read, and added to. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { TicketId, TicketMessageId, UploadId, UserId } from '../../domain/ids.ts';
import type { TicketCategory, TicketSide, TicketStatus } from '../../domain/tickets.ts';
import type { UploadStatus } from '../../domain/uploads.ts';
import { row, rows } from '../sql.ts';

export interface TicketRow {
  readonly id: TicketId;
  readonly number: string;
  readonly customer_id: UserId;
  readonly subject: string;
  readonly category: TicketCategory;
  readonly status: TicketStatus;
  readonly created_at: Date;
  readonly last_activity_at: Date;
  readonly closed_at: Date | null;
  readonly close_reason: string | null;
}

export interface TicketMessageRow {
  readonly id: TicketMessageId;
  readonly author_id: UserId;
  readonly side: TicketSide;
  readonly body: string;
  readonly created_at: Date;
}

export interface AttachmentRow {
  readonly id: UploadId;
  readonly message_id: TicketMessageId;
  readonly uploader_id: UserId;
  readonly file_name: string;
  readonly content_type: string;
  readonly status: UploadStatus;
  readonly object_key: string;
  readonly size_bytes: string | null;
  readonly sha256: Buffer | null;
  readonly created_at: Date;
}

const TICKET =
  'select id, number, customer_id, subject, category, status, created_at, last_activity_at, closed_at, close_reason from tickets';
const ATTACHMENT = `
  select u.id, a.message_id, u.uploader_id, u.file_name, u.content_type, u.status, u.object_key, u.size_bytes, u.sha256, u.created_at
    from ticket_attachments a join uploads u on u.id = a.upload_id`;
const NEWEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** A ticket of this customer; of anybody where the customer is null. `lock` holds it until the transaction ends. */
export function ticketOf(
  em: EntityManager,
  customer: UserId | null,
  id: TicketId,
  lock = false,
): Promise<TicketRow | undefined> {
  return row(
    em,
    `${TICKET} where id = $1 and ($2::uuid is null or customer_id = $2)${lock ? ' for update' : ''}`,
    [id, customer],
  );
}

/** A page of a customer's tickets, newest first. */
export function ticketsOf(
  em: EntityManager,
  customer: UserId,
  before: TicketId | null,
  most: number,
): Promise<TicketRow[]> {
  return rows(em, `${TICKET} where customer_id = $1 and id < $2 order by id desc limit $3`, [
    customer,
    before ?? NEWEST,
    most,
  ]);
}

/** A page of everybody's tickets, newest first, of one status where it is given. */
export function allTickets(
  em: EntityManager,
  status: TicketStatus | null,
  before: TicketId | null,
  most: number,
): Promise<TicketRow[]> {
  const place = [before ?? NEWEST, most];
  return status === null
    ? rows(em, `${TICKET} where id < $1 order by id desc limit $2`, place)
    : rows(em, `${TICKET} where status = $3 and id < $1 order by id desc limit $2`, [...place, status]);
}

/** All messages of a ticket in their order. */
export function messagesOf(em: EntityManager, ticket: TicketId): Promise<TicketMessageRow[]> {
  return rows(
    em,
    'select id, author_id, side, body, created_at from ticket_messages where ticket_id = $1 order by id',
    [ticket],
  );
}

/** One message, where it is of this ticket. */
export function messageOf(
  em: EntityManager,
  ticket: TicketId,
  id: TicketMessageId,
): Promise<TicketMessageRow | undefined> {
  return row(
    em,
    'select id, author_id, side, body, created_at from ticket_messages where id = $1 and ticket_id = $2',
    [id, ticket],
  );
}

/** Those attachments of these messages that are there or still expected, in their order. */
export function attachmentsOf(
  em: EntityManager,
  messages: readonly TicketMessageId[],
): Promise<AttachmentRow[]> {
  return rows(
    em,
    `${ATTACHMENT} where a.message_id = any($1::uuid[]) and u.status in ('pending', 'confirmed') order by a.upload_id`,
    [messages],
  );
}

/** One attachment, where it is of this message. */
export function attachmentOf(
  em: EntityManager,
  message: TicketMessageId,
  id: UploadId,
): Promise<AttachmentRow | undefined> {
  return row(em, `${ATTACHMENT} where a.message_id = $1 and a.upload_id = $2`, [message, id]);
}

export async function insertTicket(
  em: EntityManager,
  ticket: Pick<TicketRow, 'id' | 'customer_id' | 'subject' | 'category'>,
): Promise<void> {
  const { id, customer_id, subject, category } = ticket;
  await rows(em, 'insert into tickets (id, customer_id, subject, category) values ($1, $2, $3, $4)', [
    id,
    customer_id,
    subject,
    category,
  ]);
}

/** Adds a message, under the given id or a new one, and moves the ticket. The caller holds the ticket's lock. */
export async function insertMessage(
  em: EntityManager,
  ticket: { readonly id: TicketId; readonly status: TicketStatus },
  message: {
    readonly id: TicketMessageId | null;
    readonly author: UserId;
    readonly side: TicketSide;
    readonly body: string;
  },
): Promise<TicketMessageRow> {
  const inserted = await row<TicketMessageRow>(
    em,
    `with moved as (update tickets set status = $6, last_activity_at = now() where id = $2)
     insert into ticket_messages (id, ticket_id, author_id, side, body)
     values (coalesce($1::uuid, uuidv7()), $2, $3, $4, $5) returning id, author_id, side, body, created_at`,
    [message.id, ticket.id, message.author, message.side, message.body, ticket.status],
  );
  if (inserted === undefined) throw new Error('a message was not stored');
  return inserted;
}

/** How many messages a ticket has. */
export async function countMessages(em: EntityManager, ticket: TicketId): Promise<number> {
  const counted = await row<{ count: number }>(
    em,
    'select count(*)::int as count from ticket_messages where ticket_id = $1',
    [ticket],
  );
  return counted?.count ?? 0;
}

/** How many files a message has, those still expected included. */
export async function countAttachments(em: EntityManager, message: TicketMessageId): Promise<number> {
  const counted = await row<{ count: number }>(
    em,
    `select count(*)::int as count from ticket_attachments a join uploads u on u.id = a.upload_id
      where a.message_id = $1 and u.status in ('pending', 'confirmed')`,
    [message],
  );
  return counted?.count ?? 0;
}

/** Ties an upload to a message. */
export async function insertAttachment(
  em: EntityManager,
  upload: UploadId,
  message: TicketMessageId,
): Promise<void> {
  await rows(em, 'insert into ticket_attachments (upload_id, message_id) values ($1, $2)', [upload, message]);
}
