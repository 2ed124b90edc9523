/** What is written in a ticket. A message never changes. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { TicketId, TicketMessageId } from '../../../domain/ids.ts';
import { bigCount } from '../../rows/columns.ts';
import { query } from '../../rows/query.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList, type TableRow } from '../../rows/table-columns.ts';
import { Ticket, TicketMessage } from '../../schema/tickets.ts';

export type TicketMessageRow = TableRow<typeof TicketMessage>;

/** All messages of a ticket in their order. */
export function messagesOf(db: EntityManager, ticket: TicketId): Promise<TicketMessageRow[]> {
  return query(db)
    .selectFrom('ticket_messages')
    .selectAll()
    .where('ticketId', '=', ticket)
    .orderBy('id')
    .execute();
}

/** One message, if it belongs to this ticket. */
export function messageOf(
  db: EntityManager,
  ticket: TicketId,
  id: TicketMessageId,
): Promise<TicketMessageRow | undefined> {
  return query(db)
    .selectFrom('ticket_messages')
    .selectAll()
    .where('id', '=', id)
    .where('ticketId', '=', ticket)
    .executeTakeFirst();
}

const { id, ...written } = columnsOf(TicketMessage, 'id', 'ticketId', 'authorId', 'side', 'body');
const message = columnsOf(TicketMessage, 'id', 'ticketId', 'authorId', 'side', 'body', 'createdAt');

/** Adds a message, under the given id or a new one, and moves the ticket to `status`. The caller has locked the ticket. */
export const insertMessage = statement({
  name: 'insertMessage',
  takes: { ...written, id: id.nullable(), status: columnsOf(Ticket, 'status').status },
  gives: message,
  sql: `
    with moved as (update tickets set status = $status, last_activity_at = bank_now() where id = $ticketId)
    insert into ticket_messages as m (id, ticket_id, author_id, side, body)
    values (coalesce($id, uuidv7()), $ticketId, $authorId, $side, $body) returning ${selectList(message, 'm')}`,
});

export const countMessages = statement({
  name: 'countMessages',
  takes: columnsOf(TicketMessage, 'ticketId'),
  gives: { count: bigCount() },
  sql: 'select count(*) from ticket_messages where ticket_id = $ticketId',
});
