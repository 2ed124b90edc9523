import { z } from 'zod';
import { TicketId, TicketMessageId, UploadId, UserId } from '../../domain/ids.ts';
import { TICKET_CATEGORIES, TICKET_SIDES, TICKET_STATUSES } from '../../domain/tickets/tickets.ts';
import {
  CONTENT_TYPES,
  MAX_INLINE_BYTES,
  MAX_UPLOAD_BYTES,
  UPLOAD_STATUSES,
} from '../../domain/tickets/uploads.ts';
import { named } from '../wire/naming.ts';
import { ProcessLink } from '../wire/process-link.ts';
import { Line, Text } from '../wire/text.ts';
import { listOf, Timestamp } from '../wire/shapes.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const EXAMPLE_TIME = '2026-03-01T09:30:00.000Z';
const BASE64_PER_BYTES = 4 / 3;

const Body = Text(10_000);

const FileName = Line(255)
  .refine((name) => !/[/\\]/.test(name) && name !== '.' && name !== '..', {
    message: 'must be a name without a path',
  })
  .describe('Shown to who downloads it; any script.');
const ContentType = z
  .string()
  .max(120)
  .describe(`One of ${CONTENT_TYPES.join(', ')}.`);

export const CreateTicketRequest = named(
  'CreateTicketRequest',
  z.strictObject({ subject: Line(200), body: Body, category: z.enum(TICKET_CATEGORIES).default('other') }),
  { subject: 'A transfer is missing', body: 'I sent it on Monday.', category: 'transfer' },
);
export const TicketMessageRequest = named('TicketMessageRequest', z.strictObject({ body: Body }), {
  body: 'Here is the receipt.',
});
export const TicketCloseRequest = named(
  'TicketCloseRequest',
  z.strictObject({ reason: Line(500).optional() }),
  { reason: 'Solved by phone' },
);

/** The specification's body is an object of strings, so numbers are strings here. */
export const UploadURLRequest = named(
  'UploadURLRequest',
  z.strictObject({
    file_name: FileName,
    content_type: ContentType,
    content_length: z
      .string()
      .regex(/^[1-9]\d{0,11}$/, 'must be a number of bytes')
      .transform(Number)
      .refine((bytes) => bytes <= MAX_UPLOAD_BYTES, { message: `must be at most ${MAX_UPLOAD_BYTES}` })
      .optional()
      .describe(
        'Size in bytes. If it is given, the file goes straight to the store, which refuses any other size.',
      ),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
      .optional()
      .describe('Checked when the upload is confirmed.'),
  }),
  { file_name: 'receipt.pdf', content_type: 'application/pdf' },
);
export const UploadURLResponse = named(
  'UploadURLResponse',
  z.strictObject({
    document_id: UploadId.describe('Id of the attachment, for its confirmation.'),
    upload_url: z.url(),
    upload_method: z.literal('PUT'),
    expires_at: Timestamp,
    max_size_bytes: z.int(),
    upload_headers: z
      .record(z.string(), z.string())
      .describe('Addition: the headers to send with the upload, as signed.'),
  }),
  {
    document_id: EXAMPLE_ID,
    upload_url: 'http://127.0.0.1:7070/teller/uploads/x?X-Amz-Signature=y',
    upload_method: 'PUT',
    expires_at: EXAMPLE_TIME,
    max_size_bytes: MAX_UPLOAD_BYTES,
    upload_headers: { 'content-type': 'application/pdf', 'if-none-match': '*' },
  },
);
export const AttachRequest = named(
  'AttachRequest',
  z.strictObject({
    file_name: FileName,
    content_type: ContentType,
    content_base64: z
      .base64()
      .min(4)
      .max(Math.ceil(MAX_INLINE_BYTES * BASE64_PER_BYTES) + 4)
      .describe(`At most ${MAX_INLINE_BYTES} bytes; larger files go through an upload URL.`),
  }),
  { file_name: 'note.txt', content_type: 'text/plain', content_base64: 'SGVsbG8=' },
);

export const Attachment = named(
  'AttachmentCreatedResponse',
  z.strictObject({
    attachment_id: UploadId,
    message_id: TicketMessageId,
    file_name: z.string(),
    content_type: z.string(),
    status: z.enum(UPLOAD_STATUSES),
    size_bytes: z.int().nullable(),
    sha256: z.string().nullable().describe('Hexadecimal, of what is stored.'),
    created_at: Timestamp,
    download_url: z
      .url()
      .nullable()
      .describe(
        'Works for ten minutes; get the ticket for a fresh one. Null until the upload is confirmed, and in an answer that is kept to be repeated.',
      ),
  }),
  {
    attachment_id: EXAMPLE_ID,
    message_id: EXAMPLE_ID,
    file_name: 'receipt.pdf',
    content_type: 'application/pdf',
    status: 'confirmed',
    size_bytes: 4_711,
    sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    created_at: EXAMPLE_TIME,
    download_url: 'http://127.0.0.1:7070/teller/uploads/x?X-Amz-Signature=z',
  },
);

export const TicketMessage = named(
  'TicketMessage',
  z.strictObject({
    id: TicketMessageId,
    side: z.enum(TICKET_SIDES),
    author_id: UserId,
    body: z.string(),
    attachments: z.array(Attachment),
    created_at: Timestamp,
  }),
  {
    id: EXAMPLE_ID,
    side: 'customer',
    author_id: EXAMPLE_ID,
    body: 'I sent it on Monday.',
    attachments: [],
    created_at: EXAMPLE_TIME,
  },
);

const summary = {
  id: TicketId,
  number: z.string().describe('For people: read out on the phone.'),
  customer_id: UserId,
  subject: z.string(),
  category: z.enum(TICKET_CATEGORIES),
  status: z.enum(TICKET_STATUSES),
  created_at: Timestamp,
  last_activity_at: Timestamp,
  closed_at: Timestamp.nullable(),
};
const summaryExample = {
  id: EXAMPLE_ID,
  number: 'T-100001',
  customer_id: EXAMPLE_ID,
  subject: 'A transfer is missing',
  category: 'transfer' as const,
  status: 'open' as const,
  created_at: EXAMPLE_TIME,
  last_activity_at: EXAMPLE_TIME,
  closed_at: null,
};
export const TicketSummary = named('TicketSummary', z.strictObject(summary), summaryExample);
export const TicketListResponse = listOf('TicketListResponse', TicketSummary);
export const TicketDetail = named(
  'TicketDetail',
  z.strictObject({
    ...summary,
    close_reason: z.string().nullable(),
    messages: z.array(TicketMessage),
    process: ProcessLink.optional().describe('Shown to administrators.'),
  }),
  { ...summaryExample, close_reason: null, messages: [] },
);
export const TicketCloseResponse = named(
  'TicketCloseResponse',
  z.strictObject({ id: TicketId, status: z.literal('closed'), closed_at: Timestamp }),
  { id: EXAMPLE_ID, status: 'closed', closed_at: EXAMPLE_TIME },
);
