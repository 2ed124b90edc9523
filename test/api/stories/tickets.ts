/** The happy paths of tickets and their attachments, on both sides of the counter. */
import { z } from 'zod';
import type { Bank, Person } from '../../support/bank/bank.ts';
import { newKey } from '../../support/client.ts';
import { perform, type Performed, type Stories, type Story } from '../story.ts';

const TicketAnswer = z.looseObject({ id: z.uuid(), messages: z.array(z.looseObject({ id: z.uuid() })) });
export const UploadAnswer = z.looseObject({
  document_id: z.uuid(),
  upload_url: z.url(),
  upload_headers: z.record(z.string(), z.string()),
});
export const NOTE = {
  file_name: 'note.txt',
  content_type: 'text/plain',
  content_base64: Buffer.from('Hello').toString('base64'),
};

const MessageAnswer = z.looseObject({ id: z.uuid() });

interface Opened {
  readonly customer: Person;
  readonly support: Person;
  readonly stranger: { readonly token: string };
  readonly id: string;
  readonly messageId: string;
}

async function opened(bank: Bank): Promise<Opened> {
  const [customer, support, other] = [
    await bank.customer(),
    await bank.admin('tickets:read', 'tickets:write'),
    await bank.customer(),
  ];
  const body = { subject: 'A transfer is missing', body: 'I sent it on Monday.' };
  const answer = await customer.client.call('POST', '/v1/tickets', {
    token: customer.token,
    key: newKey(),
    body,
  });
  const ticket = answer.as(TicketAnswer);
  return {
    customer,
    support,
    stranger: { token: other.token },
    id: ticket.id,
    messageId: ticket.messages[0]?.id ?? '',
  };
}

type Side = 'customer' | 'support';

/** A message of this side, on which it may put files. */
async function said(side: Side, { support, id, messageId }: Opened): Promise<string> {
  if (side === 'customer') return messageId;
  const call = { token: support.token, key: newKey(), body: { body: 'We look.' } };
  return (await support.client.call('POST', `/v1/admin/tickets/${id}/messages`, call)).as(MessageAnswer).id;
}
const rootOf = (side: Side): string => (side === 'customer' ? '/v1' : '/v1/admin');
const strangers = (side: Side, ticket: Opened): Partial<Performed> =>
  side === 'customer' ? { stranger: ticket.stranger } : {};

const attach =
  (side: Side): Story =>
  async (bank) => {
    const ticket = await opened(bank);
    const path = `${rootOf(side)}/tickets/${ticket.id}/messages/${await said(side, ticket)}/attachments`;
    const otherBody = { ...NOTE, file_name: 'other.txt' };
    return perform(
      ticket[side],
      { method: 'POST', path, key: newKey(), body: NOTE },
      { otherBody, ...strangers(side, ticket) },
    );
  };

const ask =
  (side: Side): Story =>
  async (bank) => {
    const ticket = await opened(bank);
    const path = `${rootOf(side)}/tickets/${ticket.id}/messages/${await said(side, ticket)}/attachments/upload-url`;
    const body = { file_name: 'note.txt', content_type: 'text/plain' };
    return perform(ticket[side], { method: 'POST', path, body }, strangers(side, ticket));
  };

const confirm =
  (side: Side): Story =>
  async (bank) => {
    const ticket = await opened(bank);
    const person = ticket[side];
    const root = `${rootOf(side)}/tickets/${ticket.id}/messages/${await said(side, ticket)}/attachments`;
    const body = { file_name: 'note.txt', content_type: 'text/plain' };
    const asked = await person.client.call('POST', `${root}/upload-url`, { token: person.token, body });
    const upload = asked.as(UploadAnswer);
    await fetch(upload.upload_url, { method: 'PUT', headers: upload.upload_headers, body: 'Hello' });
    const made = { method: 'POST', path: `${root}/${upload.document_id}/confirm` } as const;
    return perform(person, made, strangers(side, ticket));
  };

export const tickets: Stories = {
  createTicket: async (bank) => {
    const body = { subject: 'A question', body: 'How?', category: 'other' };
    return perform(
      await bank.customer(),
      { method: 'POST', path: '/v1/tickets', key: newKey(), body },
      { otherBody: { ...body, body: 'Why?' } },
    );
  },
  listTickets: async (bank) => perform((await opened(bank)).customer, { method: 'GET', path: '/v1/tickets' }),
  getTicket: async (bank) => {
    const ticket = await opened(bank);
    return perform(
      ticket.customer,
      { method: 'GET', path: `/v1/tickets/${ticket.id}` },
      { stranger: ticket.stranger },
    );
  },
  addTicketMessage: async (bank) => {
    const ticket = await opened(bank);
    const made = {
      method: 'POST',
      path: `/v1/tickets/${ticket.id}/messages`,
      key: newKey(),
      body: { body: 'Also this.' },
    } as const;
    return perform(ticket.customer, made, { otherBody: { body: 'And that.' }, stranger: ticket.stranger });
  },
  attachToMessage: attach('customer'),
  requestAttachmentUpload: ask('customer'),
  confirmAttachmentUpload: confirm('customer'),
  listTicketsAsAdmin: async (bank) =>
    perform((await opened(bank)).support, { method: 'GET', path: '/v1/admin/tickets' }),
  getTicketAsAdmin: async (bank) => {
    const ticket = await opened(bank);
    return perform(ticket.support, { method: 'GET', path: `/v1/admin/tickets/${ticket.id}` });
  },
  replyToTicket: async (bank) => {
    const ticket = await opened(bank);
    const made = {
      method: 'POST',
      path: `/v1/admin/tickets/${ticket.id}/messages`,
      key: newKey(),
      body: { body: 'We look.' },
    } as const;
    return perform(ticket.support, made, { otherBody: { body: 'We looked.' } });
  },
  closeTicket: async (bank) => {
    const ticket = await opened(bank);
    const made = {
      method: 'POST',
      path: `/v1/admin/tickets/${ticket.id}/close`,
      key: newKey(),
      body: { reason: 'Solved' },
    } as const;
    return perform(ticket.support, made, { otherBody: { reason: 'Other' } });
  },
  attachToMessageAsAdmin: attach('support'),
  requestAttachmentUploadAsAdmin: ask('support'),
  confirmAttachmentUploadAsAdmin: confirm('support'),
};
