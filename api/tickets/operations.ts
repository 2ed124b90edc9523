/** A customer's tickets: open one, follow it, say more. */
import { z } from 'zod';
import { pageOfTickets, ticketOf } from '../../db/queries/tickets/tickets.ts';
import { TicketId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import { conversationOf, openTicket, writeInOwnTicket } from '../../services/tickets/conversation.ts';
import { keysetById } from '../wire/cursor.ts';
import { forUsers } from '../declaration/operation.ts';
import * as wire from './schemas.ts';
import { conversationView, messageView, ticketSummaryView } from './views.ts';

const byId = keysetById('tickets', TicketId);
const params = z.strictObject({ id: TicketId });

export const createTicket = forUsers({
  id: 'createTicket',
  area: 'Tickets',
  title: 'Create support ticket',
  description: 'Opens a ticket with its first message.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/tickets',
  effect: 'transaction',
  // each is a process
  throttle: { points: 20, seconds: 3_600, per: 'user' },
  body: wire.CreateTicketRequest,
  status: 201,
  answer: wire.TicketDetail,
  refuses: [],
  async handle(request, { storage }) {
    const id = TicketId.parse(request.newId);
    return conversationView(await openTicket(request, id, request.body), storage);
  },
});

export const listTickets = forUsers({
  id: 'listTickets',
  area: 'Tickets',
  title: 'List user tickets',
  description: 'The caller’s tickets, newest first.',
  method: 'GET',
  path: '/v1/tickets',
  effect: 'read',
  query: byId.query({}),
  status: 200,
  answer: wire.TicketListResponse,
  refuses: [],
  handle: ({ caller, query, db }) =>
    byId.page(
      query,
      (before, most) => pageOfTickets(db, { customerId: caller.id }, before, most),
      ticketSummaryView,
    ),
});

export const getTicket = forUsers({
  id: 'getTicket',
  area: 'Tickets',
  title: 'Get ticket with messages',
  description: 'One of the caller’s tickets with all its messages and files.',
  method: 'GET',
  path: '/v1/tickets/{id}',
  effect: 'read',
  params,
  status: 200,
  answer: wire.TicketDetail,
  refuses: [],
  async handle({ caller, params: { id }, db }, { storage }) {
    const ticket = found(await ticketOf(db, caller.id, id));
    return conversationView(await conversationOf(db, ticket), storage);
  },
});

export const addTicketMessage = forUsers({
  id: 'addTicketMessage',
  area: 'Tickets',
  title: 'Add message to ticket',
  description:
    'Adds a message to one of the caller’s tickets. If support has answered before, the ticket waits for support again.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/tickets/{id}/messages',
  effect: 'transaction',
  throttle: { points: 60, seconds: 3_600, per: 'user' },
  params,
  body: wire.TicketMessageRequest,
  status: 201,
  answer: wire.TicketMessage,
  refuses: ['ticket_closed', 'ticket_full'],
  async handle(request, { storage }) {
    const { params, body } = request;
    return messageView(await writeInOwnTicket(request, params.id, body.body), [], storage);
  },
});

/** In the order of the documentation. */
export const operations = [createTicket, listTickets, getTicket, addTicketMessage];
