/** A customer's tickets: open one, follow it, say more. */
import { z } from 'zod';
import { launch } from '../../db/queries/platform/outbox.ts';
import { insertTicket, pageOfTickets } from '../../db/queries/tickets/tickets.ts';
import { TicketId } from '../../domain/ids.ts';
import { ticketProcess } from '../../workflows/ticket/process.ts';
import { keyset } from '../wire/cursor.ts';
import { forUsers } from '../declaration/operation.ts';
import { pageQuery } from '../wire/shapes.ts';
import { conversation, say, visibleTicket } from './conversation.ts';
import * as wire from './schemas.ts';
import { messageView, ticketSummaryView } from './views.ts';

const byId = keyset<TicketId>('tickets', TicketId);
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
  body: wire.CreateTicketRequest,
  status: 201,
  answer: wire.TicketDetail,
  refuses: [],
  async handle({ caller, body, db, newId }, services) {
    const id = TicketId.parse(newId);
    await insertTicket(db, { id, customerId: caller.id, subject: body.subject, category: body.category });
    const ticket = await visibleTicket(db, caller.id, id);
    await say(db, ticket, { id: null, author: caller.id, side: 'customer', body: body.body });
    await launch(db, ticketProcess, { id, customerId: caller.id });
    return conversation(db, await visibleTicket(db, caller.id, id), services);
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
  query: z.strictObject(pageQuery(byId)),
  status: 200,
  answer: wire.TicketListResponse,
  refuses: [],
  async handle({ caller, query, db }) {
    const found = await pageOfTickets(db, { customer: caller.id }, query.cursor ?? null, query.limit + 1);
    return byId.page(found, query.limit, (ticket) => ticket.id, ticketSummaryView);
  },
});

export const getTicket = forUsers({
  id: 'getTicket',
  area: 'Tickets',
  title: 'Get ticket with messages',
  description: 'One of the caller’s tickets with all that was said.',
  method: 'GET',
  path: '/v1/tickets/{id}',
  effect: 'read',
  params,
  status: 200,
  answer: wire.TicketDetail,
  refuses: [],
  async handle({ caller, params: { id }, db }, services) {
    return conversation(db, await visibleTicket(db, caller.id, id), services);
  },
});

export const addTicketMessage = forUsers({
  id: 'addTicketMessage',
  area: 'Tickets',
  title: 'Add message to ticket',
  description: 'Says more; the ticket then waits for support.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/tickets/{id}/messages',
  effect: 'transaction',
  params,
  body: wire.TicketMessageRequest,
  status: 201,
  answer: wire.TicketMessage,
  refuses: ['ticket_closed', 'ticket_full'],
  async handle({ caller, params: { id }, body, db, newId }, { storage }) {
    const ticket = await visibleTicket(db, caller.id, id, true);
    const message = await say(db, ticket, {
      id: newId,
      author: caller.id,
      side: 'customer',
      body: body.body,
    });
    return messageView(message, [], storage);
  },
});

/** In the order of the documentation. */
export const operations = [createTicket, listTickets, getTicket, addTicketMessage];
