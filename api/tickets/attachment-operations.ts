/** Files on messages, for the customer and for support: the same three operations on either side of the counter. */
import { z } from 'zod';
import { TicketId, TicketMessageId, UploadId } from '../../domain/ids.ts';
import { operation } from '../operation.ts';
import { attachInline, confirmAttachment, requestUpload } from './attachments.ts';
import { visibleMessage } from './conversation.ts';
import * as wire from './schemas.ts';

const place = z.strictObject({ id: TicketId, message_id: TicketMessageId });
const attachment = z.strictObject({ id: TicketId, message_id: TicketMessageId, attachment_id: UploadId });
/** Room for the largest file in base64 and its name. */
const INLINE_BODY_BYTES = 400_000;

const asking = {
  method: 'POST',
  idempotency: 'accepted',
  params: place,
  body: wire.UploadURLRequest,
  status: 200,
  answer: wire.UploadURLResponse,
  description:
    'PUT the file to `upload_url` with just the `upload_headers`, then confirm it with `document_id` as the attachment’s id.',
  refuses: ['unsupported_file_type', 'ticket_closed', 'too_many_attachments'],
} as const;

const attaching = {
  method: 'POST',
  idempotency: 'accepted',
  params: place,
  body: wire.AttachRequest,
  bodyLimit: INLINE_BODY_BYTES,
  status: 201,
  answer: wire.Attachment,
  transaction: false,
  refuses: ['unsupported_file_type', 'ticket_closed', 'too_many_attachments', 'upload_rejected'],
} as const;

const confirming = {
  method: 'POST',
  idempotency: 'accepted',
  params: attachment,
  status: 200,
  answer: wire.Attachment,
  process: 'upload',
  refuses: ['upload_missing', 'upload_rejected', 'upload_expired'],
} as const;

/** A small file inside the request. */
export const attachToMessage = operation({
  id: 'attachToMessage',
  area: 'Tickets',
  title: 'Attach to message',
  path: '/v1/tickets/{id}/messages/{message_id}/attachments',
  auth: 'user',
  ...attaching,
  async handle({ caller, params, body, db, newId }, services) {
    return attachInline(
      db,
      await visibleMessage(db, caller.id, params),
      body,
      { id: newId, uploader: caller.id },
      services,
    );
  },
});

/** An address to upload one file to, straight into the store. */
export const requestAttachmentUpload = operation({
  id: 'requestAttachmentUpload',
  area: 'Tickets',
  title: 'Attachment upload URL',
  path: '/v1/tickets/{id}/messages/{message_id}/attachments/upload-url',
  auth: 'user',
  ...asking,
  async handle({ caller, params, body, db, newId }, services) {
    return requestUpload(
      db,
      await visibleMessage(db, caller.id, params),
      body,
      { id: newId, uploader: caller.id },
      services,
    );
  },
});

/** The file is there: it is looked at, and kept or removed. */
export const confirmAttachmentUpload = operation({
  id: 'confirmAttachmentUpload',
  area: 'Tickets',
  title: 'Attachment confirm',
  path: '/v1/tickets/{id}/messages/{message_id}/attachments/{attachment_id}/confirm',
  auth: 'user',
  ...confirming,
  async handle({ caller, params, db }, services) {
    return confirmAttachment(
      db,
      await visibleMessage(db, caller.id, params),
      params.attachment_id,
      caller.id,
      services,
    );
  },
});

/** The same for support. */
export const attachToMessageAsAdmin = operation({
  id: 'attachToMessageAsAdmin',
  title: 'Attach to message (admin)',
  path: '/v1/admin/tickets/{id}/messages/{message_id}/attachments',
  area: 'Admin tickets',
  auth: 'admin',
  permission: 'tickets:write',
  ...attaching,
  async handle({ caller, params, body, db, newId }, services) {
    return attachInline(
      db,
      await visibleMessage(db, null, params),
      body,
      { id: newId, uploader: caller.id },
      services,
    );
  },
});

/** The same for support. */
export const requestAttachmentUploadAsAdmin = operation({
  id: 'requestAttachmentUploadAsAdmin',
  title: 'Attachment upload URL (admin)',
  path: '/v1/admin/tickets/{id}/messages/{message_id}/attachments/upload-url',
  area: 'Admin tickets',
  auth: 'admin',
  permission: 'tickets:write',
  ...asking,
  async handle({ caller, params, body, db, newId }, services) {
    return requestUpload(
      db,
      await visibleMessage(db, null, params),
      body,
      { id: newId, uploader: caller.id },
      services,
    );
  },
});

/** The same for support. */
export const confirmAttachmentUploadAsAdmin = operation({
  id: 'confirmAttachmentUploadAsAdmin',
  title: 'Attachment confirm (admin)',
  path: '/v1/admin/tickets/{id}/messages/{message_id}/attachments/{attachment_id}/confirm',
  area: 'Admin tickets',
  auth: 'admin',
  permission: 'tickets:write',
  ...confirming,
  async handle({ caller, params, db }, services) {
    return confirmAttachment(
      db,
      await visibleMessage(db, null, params),
      params.attachment_id,
      caller.id,
      services,
    );
  },
});
