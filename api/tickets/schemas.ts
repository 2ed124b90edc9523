import { z } from 'zod';
import { TicketId, TicketMessageId, UploadId, UserId } from '../../domain/ids.ts';
import { TICKET_CATEGORIES, TICKET_SIDES, TICKET_STATUSES } from '../../domain/tickets/tickets.ts';
import { fileExample, fileFields } from '../uploads/schemas.ts';
import { named } from '../wire/naming.ts';
import { ProcessLink } from '../wire/process-link.ts';
import { Line, Text } from '../wire/text.ts';
import { listOf, Timestamp } from '../wire/shapes.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const EXAMPLE_TIME = '2026-03-01T09:30:00.000Z';

const Body = Text(10_000);

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

export const Attachment = named(
  'AttachmentCreatedResponse',
  z.strictObject({
    attachment_id: UploadId,
    message_id: TicketMessageId,
    ...fileFields('ticket'),
  }),
  { attachment_id: EXAMPLE_ID, message_id: EXAMPLE_ID, ...fileExample },
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
