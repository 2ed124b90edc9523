/** Files on messages, for the customer and for support: the same three operations on either side of the counter. */
import { z } from 'zod';
import { TicketId, TicketMessageId, UploadId } from '../../domain/ids.ts';
import type { TicketSide } from '../../domain/tickets/tickets.ts';
import { MAX_UPLOAD_BYTES } from '../../domain/tickets/uploads.ts';
import type { Services } from '../../services/services.ts';
import { attachInline, confirmAttachment, requestUpload } from '../../services/tickets/attachments.ts';
import type { Place } from '../../services/tickets/expected-uploads.ts';
import { forAdmins, forUsers } from '../declaration/operation.ts';
import * as wire from './schemas.ts';
import { attachmentView } from './views.ts';

const place = z.strictObject({ id: TicketId, message_id: TicketMessageId });
const attachment = z.strictObject({ id: TicketId, message_id: TicketMessageId, attachment_id: UploadId });
/** Room for the largest file in base64 and its name. */
const INLINE_BODY_BYTES = 400_000;
/** What is not confirmed stays in the store for an hour: one person must not fill it. */
const FILES_AN_HOUR = { points: 60, seconds: 3_600, per: 'user' } as const;

const UPLOADING =
  'Returns an address to which one file can be uploaded: of the store if `content_length` says how large the file is, otherwise of this service, which refuses what is over `max_size_bytes`. PUT the file to `upload_url` with exactly the `upload_headers`, then confirm ' +
  'the upload with `document_id` as the id of the attachment.';
const CONFIRMING =
  'Confirms that the file is uploaded. Its size, checksum and content are compared with what was announced; a file that differs is ' +
  'removed.';

const asking = {
  method: 'POST',
  // the answer is a permission: it is not kept to be repeated, and what was asked for twice expires by itself
  idempotency: 'none',
  params: place,
  body: wire.UploadURLRequest,
  status: 200,
  answer: wire.UploadURLResponse,
  effect: 'transaction',
  throttle: FILES_AN_HOUR,
  process: 'upload',
  refuses: ['unsupported_file_type', 'not_own_message', 'ticket_closed', 'too_many_attachments'],
} as const;

const attaching = {
  method: 'POST',
  idempotency: 'accepted',
  params: place,
  body: wire.AttachRequest,
  bodyLimit: INLINE_BODY_BYTES,
  throttle: FILES_AN_HOUR,
  status: 201,
  answer: wire.Attachment,
  effect: 'own_transactions',
  refuses: [
    'unsupported_file_type',
    'not_own_message',
    'ticket_closed',
    'too_many_attachments',
    'upload_rejected',
    'upload_expired',
  ],
} as const;

const confirming = {
  method: 'POST',
  // repeating it changes nothing; a file that was not there yet may be there now
  idempotency: 'none',
  params: attachment,
  status: 200,
  answer: wire.Attachment,
  effect: 'decision',
  process: 'upload',
  refuses: ['upload_missing', 'upload_rejected', 'upload_expired'],
} as const;

export const attachToMessage = forUsers({
  id: 'attachToMessage',
  area: 'Tickets',
  title: 'Attach to message',
  description: 'Attaches a small file, sent inside the request, to one of the caller’s messages.',
  path: '/v1/tickets/{id}/messages/{message_id}/attachments',
  ...attaching,
  handle: (request, services) => attached(request, at('customer', request.params), request.body, services),
});

export const requestAttachmentUpload = forUsers({
  id: 'requestAttachmentUpload',
  area: 'Tickets',
  title: 'Attachment upload URL',
  description: UPLOADING,
  path: '/v1/tickets/{id}/messages/{message_id}/attachments/upload-url',
  ...asking,
  handle: (request, services) => permitted(request, at('customer', request.params), request.body, services),
});

export const confirmAttachmentUpload = forUsers({
  id: 'confirmAttachmentUpload',
  area: 'Tickets',
  title: 'Attachment confirm',
  description: CONFIRMING,
  path: '/v1/tickets/{id}/messages/{message_id}/attachments/{attachment_id}/confirm',
  ...confirming,
  async handle(request, services) {
    const { attachment_id: id, ...place } = request.params;
    return attachmentView(
      await confirmAttachment(request, at('customer', place), id, services),
      services.storage,
    );
  },
});

export const attachToMessageAsAdmin = forAdmins({
  id: 'attachToMessageAsAdmin',
  title: 'Attach to message (admin)',
  description: 'Attaches a small file, sent inside the request, to a message of support.',
  path: '/v1/admin/tickets/{id}/messages/{message_id}/attachments',
  area: 'Admin tickets',
  permission: 'tickets:write',
  ...attaching,
  handle: (request, services) => attached(request, at('support', request.params), request.body, services),
});

export const requestAttachmentUploadAsAdmin = forAdmins({
  id: 'requestAttachmentUploadAsAdmin',
  title: 'Attachment upload URL (admin)',
  description: UPLOADING,
  path: '/v1/admin/tickets/{id}/messages/{message_id}/attachments/upload-url',
  area: 'Admin tickets',
  permission: 'tickets:write',
  ...asking,
  handle: (request, services) => permitted(request, at('support', request.params), request.body, services),
});

export const confirmAttachmentUploadAsAdmin = forAdmins({
  id: 'confirmAttachmentUploadAsAdmin',
  title: 'Attachment confirm (admin)',
  description: CONFIRMING,
  path: '/v1/admin/tickets/{id}/messages/{message_id}/attachments/{attachment_id}/confirm',
  area: 'Admin tickets',
  permission: 'tickets:write',
  ...confirming,
  async handle(request, services) {
    const { attachment_id: id, ...place } = request.params;
    return attachmentView(
      await confirmAttachment(request, at('support', place), id, services),
      services.storage,
    );
  },
});

/** The message of the path, seen from this side of the counter. */
function at(side: TicketSide, { id: ticket, message_id: message }: z.output<typeof place>): Place {
  return { side, ticket, message };
}

async function permitted(
  call: Parameters<typeof requestUpload>[0],
  at: Place,
  body: z.output<typeof wire.UploadURLRequest>,
  services: Services,
): Promise<z.output<typeof wire.UploadURLResponse>> {
  const { file_name: fileName, content_type: contentType, content_length: contentLength, sha256 } = body;
  const file = { fileName, contentType, contentLength, sha256 };
  const { id, url, headers, expiresAt } = await requestUpload(call, at, file, services);
  return {
    document_id: id,
    upload_url: url,
    upload_method: 'PUT',
    expires_at: expiresAt,
    max_size_bytes: MAX_UPLOAD_BYTES,
    upload_headers: { ...headers },
  };
}

async function attached(
  call: Parameters<typeof attachInline>[0],
  at: Place,
  { file_name: fileName, content_type: contentType, content_base64 }: z.output<typeof wire.AttachRequest>,
  services: Pick<Services, 'storage'>,
): Promise<z.output<typeof wire.Attachment>> {
  const file = { fileName, contentType, content: Buffer.from(content_base64, 'base64') };
  const attachment = await attachInline(call, at, file, services);
  // this answer is kept to be repeated: a permission to download does not belong into it
  return { ...attachmentView(attachment, services.storage), download_url: null };
}

/** In the order of the documentation. */
export const operations = [
  attachToMessage,
  requestAttachmentUpload,
  confirmAttachmentUpload,
  attachToMessageAsAdmin,
  requestAttachmentUploadAsAdmin,
  confirmAttachmentUploadAsAdmin,
];
