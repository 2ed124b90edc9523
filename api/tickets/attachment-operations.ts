/** Files on messages, for the customer and for support: the same three operations on either side of the counter. */
import { z } from 'zod';
import { TicketId, TicketMessageId, UploadId } from '../../domain/ids.ts';
import type { TicketSide } from '../../domain/tickets/tickets.ts';
import { messagePlace } from '../../services/tickets/attachments.ts';
import { confirmAttachment } from '../../services/uploads/handing-in.ts';
import { forAdmins, forUsers } from '../declaration/operation.ts';
import { asking, attached, attaching, confirming, permitted } from '../uploads/declarations.ts';
import * as wire from './schemas.ts';
import { attachmentView } from './views.ts';

const params = z.strictObject({ id: TicketId, message_id: TicketMessageId });
const refuses = ['not_own_message', 'ticket_closed', 'too_many_attachments'] as const;
const answer = wire.Attachment;

const attach = attaching({ params, answer, refuses });
const ask = asking({ params, refuses });
const confirm = confirming({ params: params.extend({ attachment_id: UploadId }), answer });

export const attachToMessage = forUsers({
  id: 'attachToMessage',
  area: 'Tickets',
  title: 'Attach to message',
  description: 'Attaches a small file, sent inside the request, to one of the caller’s messages.',
  path: '/v1/tickets/{id}/messages/{message_id}/attachments',
  ...attach,
  handle: (request, services) =>
    attached(request, at('customer', request.params), request.body, services, attachmentView),
});

export const requestAttachmentUpload = forUsers({
  id: 'requestAttachmentUpload',
  area: 'Tickets',
  title: 'Attachment upload URL',
  path: '/v1/tickets/{id}/messages/{message_id}/attachments/upload-url',
  ...ask,
  handle: (request, services) => permitted(request, at('customer', request.params), request.body, services),
});

export const confirmAttachmentUpload = forUsers({
  id: 'confirmAttachmentUpload',
  area: 'Tickets',
  title: 'Attachment confirm',
  path: '/v1/tickets/{id}/messages/{message_id}/attachments/{attachment_id}/confirm',
  ...confirm,
  async handle(request, services) {
    const place = at('customer', request.params);
    const file = await confirmAttachment(request, place, request.params.attachment_id, services);
    return attachmentView(file, services.storage);
  },
});

export const attachToMessageAsAdmin = forAdmins({
  id: 'attachToMessageAsAdmin',
  title: 'Attach to message (admin)',
  description: 'Attaches a small file, sent inside the request, to a message of support.',
  path: '/v1/admin/tickets/{id}/messages/{message_id}/attachments',
  area: 'Admin tickets',
  permission: 'tickets:write',
  ...attach,
  handle: (request, services) =>
    attached(request, at('support', request.params), request.body, services, attachmentView),
});

export const requestAttachmentUploadAsAdmin = forAdmins({
  id: 'requestAttachmentUploadAsAdmin',
  title: 'Attachment upload URL (admin)',
  path: '/v1/admin/tickets/{id}/messages/{message_id}/attachments/upload-url',
  area: 'Admin tickets',
  permission: 'tickets:write',
  ...ask,
  handle: (request, services) => permitted(request, at('support', request.params), request.body, services),
});

export const confirmAttachmentUploadAsAdmin = forAdmins({
  id: 'confirmAttachmentUploadAsAdmin',
  title: 'Attachment confirm (admin)',
  path: '/v1/admin/tickets/{id}/messages/{message_id}/attachments/{attachment_id}/confirm',
  area: 'Admin tickets',
  permission: 'tickets:write',
  ...confirm,
  async handle(request, services) {
    const place = at('support', request.params);
    const file = await confirmAttachment(request, place, request.params.attachment_id, services);
    return attachmentView(file, services.storage);
  },
});

/** The message of the path, seen from this side of the counter. */
function at(side: TicketSide, { id, message_id }: z.output<typeof params>) {
  return messagePlace(side, id, message_id);
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
