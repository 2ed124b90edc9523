/** Tickets: open, find, list, close. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { TicketId, UserId } from '../../../domain/ids.ts';
import { boolean, integer } from '../../rows/columns.ts';
import { pageOf } from '../../rows/page.ts';
import { query } from '../../rows/query.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, type NewRow, type TableRow } from '../../rows/table-columns.ts';
import { Ticket } from '../../schema/tickets.ts';

export type TicketRow = TableRow<typeof Ticket>;

/** A ticket of this customer; anybody's if the customer is null. `lock` keeps others from changing it until the transaction ends. */
export function ticketOf(
  db: EntityManager,
  customer: UserId | null,
  id: TicketId,
  lock = false,
): Promise<TicketRow | undefined> {
  let ticket = query(db).selectFrom('tickets').selectAll().where('id', '=', id);
  if (customer !== null) ticket = ticket.where('customerId', '=', customer);
  if (lock) ticket = ticket.forUpdate();
  return ticket.executeTakeFirst();
}

const ticket = columnsOf(
  Ticket,
  ...([
    'id',
    'number',
    'customerId',
    'subject',
    'category',
    'status',
    'createdAt',
    'lastActivityAt',
  ] as const),
  ...(['closedAt', 'closedBy', 'closeReason'] as const),
);

/** A page of tickets, newest first: of one customer or one status if these are given. */
export const pageOfTickets = pageOf({
  name: 'pageOfTickets',
  table: Ticket,
  gives: ticket,
  by: ['customerId', 'status'],
});

export async function insertTicket(db: EntityManager, ticket: NewRow<typeof Ticket>): Promise<void> {
  await query(db).insertInto('tickets').values(ticket).execute();
}

/** Closes a ticket that this transaction has locked. */
export async function closeTicketBy(
  db: EntityManager,
  id: TicketId,
  closing: Pick<TicketRow, 'closedBy' | 'closeReason'>,
): Promise<void> {
  await query(db)
    .updateTable('tickets')
    .set({ status: 'closed', closedAt: sql<Date>`bank_now()`, ...closing })
    .where('id', '=', id)
    .execute();
}

/** Closes a ticket that has waited for its customer for so many days; otherwise says in how many seconds to ask again. */
export const closeIfIdle = statement({
  name: 'closeIfIdle',
  takes: { ...columnsOf(Ticket, 'id'), days: integer() },
  gives: { closed: boolean(), askAgainInSeconds: integer() },
  sql: `
    with idle as (
      update tickets set status = 'closed', closed_at = bank_now()
       where id = $id and status = 'waiting_for_customer'
         and last_activity_at <= (select bank_now()) - make_interval(days => $days) returning id)
    select exists (select from idle) or status = 'closed' as closed,
           greatest(60, ceil(extract(epoch from
             case when status = 'waiting_for_customer' then last_activity_at else bank_now() end
             + make_interval(days => $days) - bank_now())))::integer as ask_again_in_seconds
      from tickets where id = $id`,
});
