/** Files on messages, for the customer and for support: the same three operations on either side of the counter. */
import { z } from 'zod';
import { TicketId, TicketMessageId, UploadId } from '../../domain/ids.ts';
import type { TicketSide } from '../../domain/tickets/tickets.ts';
import { forAdmins, forUsers } from '../declaration/operation.ts';
import type { Context } from '../declaration/request.ts';
import type { User, Admin } from '../../services/callers.ts';
import { attachInline, confirmAttachment, requestUpload, type Handing } from './attachments.ts';
import { visibleMessage } from './conversation.ts';
import * as wire from './schemas.ts';

const place = z.strictObject({ id: TicketId, message_id: TicketMessageId });
const attachment = z.strictObject({ id: TicketId, message_id: TicketMessageId, attachment_id: UploadId });
/** Room for the largest file in base64 and its name. */
const INLINE_BODY_BYTES = 400_000;

const UPLOADING =
  'An address to upload one file to, straight into the store. PUT the file to `upload_url` with just the `upload_headers`, then confirm it ' +
  'with `document_id` as the attachment’s id.';

const asking = {
  method: 'POST',
  // the answer is a permission: it is not kept to be repeated, and what was asked for twice expires by itself
  idempotency: 'none',
  params: place,
  body: wire.UploadURLRequest,
  status: 200,
  answer: wire.UploadURLResponse,
  effect: 'transaction',
  process: 'upload',
  refuses: ['unsupported_file_type', 'not_own_message', 'ticket_closed', 'too_many_attachments'],
} as const;

const attaching = {
  method: 'POST',
  idempotency: 'accepted',
  params: place,
  body: wire.AttachRequest,
  bodyLimit: INLINE_BODY_BYTES,
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
  description: 'A small file inside the request.',
  path: '/v1/tickets/{id}/messages/{message_id}/attachments',
  ...attaching,
  async handle({ params, body, db, ...call }, services) {
    const place = await visibleMessage(db, call.caller.id, params);
    return attachInline(db, place, body, handing(call, 'customer'), services);
  },
});

export const requestAttachmentUpload = forUsers({
  id: 'requestAttachmentUpload',
  area: 'Tickets',
  title: 'Attachment upload URL',
  description: UPLOADING,
  path: '/v1/tickets/{id}/messages/{message_id}/attachments/upload-url',
  ...asking,
  async handle({ params, body, db, ...call }, services) {
    const place = await visibleMessage(db, call.caller.id, params);
    return requestUpload(db, place, body, handing(call, 'customer'), services);
  },
});

export const confirmAttachmentUpload = forUsers({
  id: 'confirmAttachmentUpload',
  area: 'Tickets',
  title: 'Attachment confirm',
  description: 'The file is there: it is looked at, and kept or removed.',
  path: '/v1/tickets/{id}/messages/{message_id}/attachments/{attachment_id}/confirm',
  ...confirming,
  async handle({ caller, params, db }, services) {
    const place = await visibleMessage(db, caller.id, params);
    return confirmAttachment(db, place, params.attachment_id, caller.id, services);
  },
});

export const attachToMessageAsAdmin = forAdmins({
  id: 'attachToMessageAsAdmin',
  title: 'Attach to message (admin)',
  description: 'A small file inside the request, for an answer of the caller’s.',
  path: '/v1/admin/tickets/{id}/messages/{message_id}/attachments',
  area: 'Admin tickets',
  permission: 'tickets:write',
  ...attaching,
  async handle({ params, body, db, ...call }, services) {
    const place = await visibleMessage(db, null, params);
    return attachInline(db, place, body, handing(call, 'support'), services);
  },
});

export const requestAttachmentUploadAsAdmin = forAdmins({
  id: 'requestAttachmentUploadAsAdmin',
  title: 'Attachment upload URL (admin)',
  description: UPLOADING,
  path: '/v1/admin/tickets/{id}/messages/{message_id}/attachments/upload-url',
  area: 'Admin tickets',
  permission: 'tickets:write',
  ...asking,
  async handle({ params, body, db, ...call }, services) {
    const place = await visibleMessage(db, null, params);
    return requestUpload(db, place, body, handing(call, 'support'), services);
  },
});

export const confirmAttachmentUploadAsAdmin = forAdmins({
  id: 'confirmAttachmentUploadAsAdmin',
  title: 'Attachment confirm (admin)',
  description:
    'Says that the file of an answer is in the store. Size, checksum and content are compared with what was announced.',
  path: '/v1/admin/tickets/{id}/messages/{message_id}/attachments/{attachment_id}/confirm',
  area: 'Admin tickets',
  permission: 'tickets:write',
  ...confirming,
  async handle({ caller, params, db }, services) {
    const place = await visibleMessage(db, null, params);
    return confirmAttachment(db, place, params.attachment_id, caller.id, services);
  },
});

/** Who hands in a file by this call. */
function handing(
  {
    caller,
    newId,
    requestId,
    client,
  }: Pick<Context<User | Admin>, 'caller' | 'newId' | 'requestId' | 'client'>,
  side: TicketSide,
): Handing {
  return { id: newId, uploader: caller.id, side, requestId, address: client.address };
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
