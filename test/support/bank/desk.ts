/** The counter of support, from both sides: a customer with a ticket, an administrator who answers, and files between them. */
import { Readable } from 'node:stream';
import pg from 'pg';
import { z } from 'zod';
import { createStorage, type Storage } from '../../../adapters/storage.ts';
import { loadConfig } from '../../../config.ts';
import type { Bank, Person } from './bank.ts';
import { patiently, type Answered } from '../client.ts';
import { stack } from '../stack/stack.ts';

export const AttachmentAnswer = z.object({
  attachment_id: z.uuid(),
  message_id: z.uuid(),
  file_name: z.string(),
  content_type: z.string(),
  status: z.string(),
  size_bytes: z.number().nullable(),
  sha256: z.string().nullable(),
  created_at: z.string(),
  download_url: z.url().nullable(),
});
export const MessageAnswer = z.looseObject({
  id: z.uuid(),
  side: z.string(),
  body: z.string(),
  attachments: z.array(AttachmentAnswer),
});
export const TicketAnswer = z.looseObject({
  id: z.uuid(),
  number: z.string(),
  subject: z.string(),
  status: z.string(),
  close_reason: z.string().nullable(),
  messages: z.array(MessageAnswer),
});
export const UploadAnswer = z.object({
  document_id: z.uuid(),
  upload_url: z.url(),
  upload_method: z.literal('PUT'),
  expires_at: z.string(),
  max_size_bytes: z.number(),
  upload_headers: z.record(z.string(), z.string()),
});
export type UploadAnswer = z.output<typeof UploadAnswer>;

/** A message of a ticket, as one side sees it. */
export interface Place {
  readonly person: Person;
  readonly side: 'customer' | 'support';
  readonly ticketId: string;
  readonly messageId: string;
}

export interface Desk {
  /** Calls with the person's token. */
  post(person: Person, path: string, body?: object): Promise<Answered>;
  /** A new ticket with its first message. */
  open(customer: Person, words?: { subject?: string; body?: string }): Promise<Place>;
  see(person: Person, ticketId: string): Promise<z.output<typeof TicketAnswer>>;
  /** Path of the attachments of a message. */
  attachments(place: Place): string;
  /** Asks for an upload URL. */
  ask(place: Place, file?: object): Promise<UploadAnswer>;
  confirm(place: Place, upload: UploadAnswer): Promise<Answered>;
  /** True while the store itself holds the object. */
  holds(upload: UploadAnswer): Promise<boolean>;
}

/** Opens the counter of the shared bank, or of one with an environment of its own. */
export function openDesk(env: NodeJS.ProcessEnv = stack.serviceEnv): Desk {
  const config = loadConfig(env);
  const storage: Storage = createStorage(config);
  const root = (side: Place['side']): string => (side === 'customer' ? '/v1' : '/v1/admin');

  const desk: Desk = {
    post: (person, path, body) =>
      person.client.call('POST', path, {
        token: person.token,
        ...(body === undefined ? {} : { body }),
      }),
    async open(customer, { subject = 'A transfer is missing', body = 'I sent it on Monday.' } = {}) {
      const ticket = (await desk.post(customer, '/v1/tickets', { subject, body })).as(TicketAnswer);
      const messageId = ticket.messages[0]?.id ?? '';
      return { person: customer, side: 'customer', ticketId: ticket.id, messageId };
    },
    see: async (person, ticketId) =>
      (await person.client.call('GET', `/v1/tickets/${ticketId}`, { token: person.token })).as(TicketAnswer),
    attachments: ({ side, ticketId, messageId }) =>
      `${root(side)}/tickets/${ticketId}/messages/${messageId}/attachments`,
    ask: async (place, file = { file_name: 'receipt.pdf', content_type: 'application/pdf' }) =>
      (await desk.post(place.person, `${desk.attachments(place)}/upload-url`, file)).as(UploadAnswer),
    confirm: (place, { document_id: id }) =>
      patiently(() => desk.post(place.person, `${desk.attachments(place)}/${id}/confirm`)),
    async holds({ document_id: id }) {
      const owner = new pg.Client(config.DATABASE_OWNER_URL);
      await owner.connect();
      const found = await owner.query<{ key: string }>(
        'select object_key as key from uploads where id = $1',
        [id],
      );
      await owner.end();
      return (await storage.stat(found.rows[0]?.key ?? '')) !== null;
    },
  };
  return desk;
}

/** Sends a file where the answer says, with the headers it says; others on request. Answers the store's status. */
export async function putFile(
  upload: UploadAnswer,
  content: Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  // the length is the client's to say: it cannot claim another than it sends
  const { 'content-length': _length, ...signed } = upload.upload_headers;
  const body = new Uint8Array(content);
  const answer = await fetch(upload.upload_url, { method: 'PUT', headers: { ...signed, ...headers }, body });
  await answer.arrayBuffer();
  return answer.status;
}

/** As `putFile`, in pieces and without saying how long it is. */
export async function streamFile(
  { upload_url: url, upload_headers }: UploadAnswer,
  content: Buffer,
): Promise<number> {
  const pieces = async function* () {
    for (let at = 0; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536);
    await Promise.resolve();
  };
  const body = Readable.toWeb(Readable.from(pieces()));
  const request = { method: 'PUT', headers: upload_headers, body, duplex: 'half' } as const;
  const answer = await fetch(url, request);
  await answer.arrayBuffer();
  return answer.status;
}

/** An administrator who may read and answer tickets. */
export function supporter(bank: Bank): Promise<Person> {
  return bank.admin('tickets:read', 'tickets:write');
}
