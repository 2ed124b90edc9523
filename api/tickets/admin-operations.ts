/** Support's side of the counter: see tickets, answer, close. */
import { z } from 'zod';
import { pageOfTickets, ticketOf } from '../../db/queries/tickets/tickets.ts';
import { TicketId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import { TICKET_STATUSES } from '../../domain/tickets/tickets.ts';
import { decideToClose } from '../../services/tickets/closing.ts';
import { answerTicket, conversationOf } from '../../services/tickets/conversation.ts';
import { keysetById } from '../wire/cursor.ts';
import { forAdmins } from '../declaration/operation.ts';
import * as wire from './schemas.ts';
import { conversationView, messageView, ticketSummaryView } from './views.ts';

const byId = keysetById('all-tickets', TicketId);
const params = z.strictObject({ id: TicketId });

export const listTicketsAsAdmin = forAdmins({
  id: 'listTicketsAsAdmin',
  area: 'Admin tickets',
  title: 'List tickets (admin)',
  description: 'The tickets of all customers, newest first.',
  method: 'GET',
  path: '/v1/admin/tickets',
  effect: 'read',
  permission: 'tickets:read',
  query: byId.query({ status: z.enum(TICKET_STATUSES).optional() }),
  status: 200,
  answer: wire.TicketListResponse,
  refuses: [],
  handle: ({ query, db }) =>
    byId.page(
      query,
      (before, most) => pageOfTickets(db, { status: query.status }, before, most),
      ticketSummaryView,
    ),
});

export const getTicketAsAdmin = forAdmins({
  id: 'getTicketAsAdmin',
  area: 'Admin tickets',
  title: 'Get ticket (admin)',
  description: 'A ticket with all its messages and files.',
  method: 'GET',
  path: '/v1/admin/tickets/{id}',
  effect: 'read',
  permission: 'tickets:read',
  params,
  status: 200,
  answer: wire.TicketDetail,
  refuses: [],
  async handle({ params: { id }, db }, { storage, config }) {
    const ticket = found(await ticketOf(db, null, id));
    return conversationView(await conversationOf(db, ticket), storage, config);
  },
});

export const replyToTicket = forAdmins({
  id: 'replyToTicket',
  area: 'Admin tickets',
  title: 'Reply to ticket (admin)',
  description: 'Answers the customer, who gets an email that there is an answer.',
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
  async handle(request, services) {
    const { params, body } = request;
    return messageView(await answerTicket(request, params.id, body.body, services), [], services.storage);
  },
});

export const closeTicket = forAdmins({
  id: 'closeTicket',
  area: 'Admin tickets',
  title: 'Close ticket',
  description: 'Closes a ticket. It cannot be opened again.',
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
  async handle(request, services) {
    const { id } = request.params;
    const closedAt = await decideToClose(request, id, request.body.reason ?? null, services);
    return { id, status: 'closed' as const, closed_at: closedAt };
  },
});

/** In the order of the documentation. */
export const operations = [listTicketsAsAdmin, getTicketAsAdmin, replyToTicket, closeTicket];
