/** Support's side of the counter: see tickets, answer, close. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { sendMessage } from '../../services/notifications/messages.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { User } from '../../db/schema/identity.ts';
import { pageOfTickets, type TicketRow } from '../../db/queries/tickets/tickets.ts';
import { TicketId } from '../../domain/ids.ts';
import { TICKET_STATUSES } from '../../domain/tickets/tickets.ts';
import { close } from '../../workflows/ticket/contract.ts';
import { ticketProcess } from '../../workflows/ticket/process.ts';
import { keyset } from '../wire/cursor.ts';
import { forAdmins } from '../declaration/operation.ts';
import type { Services } from '../../services/services.ts';
import { pageQuery } from '../wire/shapes.ts';
import { conversation, say, visibleTicket } from './conversation.ts';
import * as wire from './schemas.ts';
import { messageView, ticketSummaryView } from './views.ts';

const byId = keyset<TicketId>('all-tickets', TicketId);
const params = z.strictObject({ id: TicketId });

export const listTicketsAsAdmin = forAdmins({
  id: 'listTicketsAsAdmin',
  area: 'Admin tickets',
  title: 'List tickets (admin)',
  description: 'Everybody’s tickets, newest first.',
  method: 'GET',
  path: '/v1/admin/tickets',
  effect: 'read',
  permission: 'tickets:read',
  query: z.strictObject({ ...pageQuery(byId), status: z.enum(TICKET_STATUSES).optional() }),
  status: 200,
  answer: wire.TicketListResponse,
  refuses: [],
  async handle({ query, db }) {
    const found = await pageOfTickets(db, { status: query.status }, query.cursor ?? null, query.limit + 1);
    return byId.page(found, query.limit, (ticket) => ticket.id, ticketSummaryView);
  },
});

export const getTicketAsAdmin = forAdmins({
  id: 'getTicketAsAdmin',
  area: 'Admin tickets',
  title: 'Get ticket (admin)',
  description: 'A ticket with all that was said.',
  method: 'GET',
  path: '/v1/admin/tickets/{id}',
  effect: 'read',
  permission: 'tickets:read',
  params,
  status: 200,
  answer: wire.TicketDetail,
  refuses: [],
  async handle({ params: { id }, db }, services) {
    return conversation(db, await visibleTicket(db, null, id), services);
  },
});

export const replyToTicket = forAdmins({
  id: 'replyToTicket',
  area: 'Admin tickets',
  title: 'Reply to ticket (admin)',
  description: 'Answers the customer, who is told by mail that there is an answer.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/tickets/{id}/messages',
  effect: 'transaction',
  permission: 'tickets:write',
  params,
  body: wire.TicketMessageRequest,
  status: 201,
  answer: wire.TicketMessage,
  refuses: ['ticket_closed', 'ticket_full'],
  async handle({ caller, params: { id }, body, db, newId, requestId, client }, services) {
    const ticket = await visibleTicket(db, null, id, true);
    const message = await say(db, ticket, { id: newId, author: caller.id, side: 'support', body: body.body });
    await tellCustomer(db, ticket, services);
    await record(db, {
      actorId: caller.id,
      actorRole: 'admin',
      action: 'ticket.answered',
      subjectType: 'ticket',
      subjectId: ticket.id,
      before: { status: ticket.status },
      after: { status: 'waiting_for_customer', message_id: message.id },
      requestId,
      address: client.address,
    });
    return messageView(message, [], services.storage);
  },
});

export const closeTicket = forAdmins({
  id: 'closeTicket',
  area: 'Admin tickets',
  title: 'Close ticket',
  description: 'Closes a ticket for good.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/tickets/{id}/close',
  permission: 'tickets:write',
  params,
  body: wire.TicketCloseRequest,
  status: 200,
  answer: wire.TicketCloseResponse,
  effect: 'decision',
  process: 'ticket',
  refuses: ['ticket_closed'],
  async handle({ caller, params: { id }, refusal, body, db, newId, requestId }, { processes }) {
    await visibleTicket(db, null, id);
    const closing = { by: caller.id, reason: body.reason ?? null, requestId };
    // a repeat of the request is told what became of it, also where the process is over
    const answer = await processes.decide(ticketProcess, id, close, closing, newId);
    const closed = await visibleTicket(db, null, id);
    // without a process and not closed: it has not been started yet
    if (closed.closedAt === null) throw refusal('unavailable', { retryAfter: 2 });
    if (answer === 'ended') throw refusal('ticket_closed');
    return { id, status: 'closed' as const, closed_at: closed.closedAt.toISOString() };
  },
});

/** What was said stays here; the mail only says that there is something to read. */
async function tellCustomer(
  db: EntityManager,
  ticket: TicketRow,
  { cipher }: Pick<Services, 'cipher'>,
): Promise<void> {
  const customer = await db.findOneOrFail(User, ticket.customerId);
  await sendMessage(db, cipher, {
    userId: customer.id,
    channel: 'email',
    to: customer.email,
    template: 'ticket_reply',
    locale: customer.locale,
    values: { number: ticket.number },
  });
}

/** In the order of the documentation. */
export const operations = [listTicketsAsAdmin, getTicketAsAdmin, replyToTicket, closeTicket];
