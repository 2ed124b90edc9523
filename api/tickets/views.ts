/** Tickets as the wire shows them. */
import type { z } from 'zod';
import type { Storage } from '../../adapters/storage.ts';
import type { AttachmentRow, TicketMessageRow, TicketRow } from '../../db/queries/tickets.ts';
import { DOWNLOAD_SECONDS } from '../../domain/uploads.ts';
import type * as wire from './schemas.ts';

export function ticketSummaryView(ticket: TicketRow): z.input<typeof wire.TicketSummary> {
  return {
    id: ticket.id,
    number: ticket.number,
    customer_id: ticket.customer_id,
    subject: ticket.subject,
    category: ticket.category,
    status: ticket.status,
    created_at: ticket.created_at.toISOString(),
    last_activity_at: ticket.last_activity_at.toISOString(),
    closed_at: ticket.closed_at?.toISOString() ?? null,
  };
}

export function ticketDetailView(
  ticket: TicketRow,
  messages: readonly TicketMessageRow[],
  attachments: readonly AttachmentRow[],
  storage: Storage,
): z.input<typeof wire.TicketDetail> {
  return {
    ...ticketSummaryView(ticket),
    close_reason: ticket.close_reason,
    messages: messages.map((message) =>
      messageView(
        message,
        attachments.filter(({ message_id }) => message_id === message.id),
        storage,
      ),
    ),
  };
}

export function messageView(
  message: TicketMessageRow,
  attachments: readonly AttachmentRow[],
  storage: Storage,
): z.input<typeof wire.TicketMessage> {
  return {
    id: message.id,
    side: message.side,
    author_id: message.author_id,
    body: message.body,
    attachments: attachments.map((attachment) => attachmentView(attachment, storage)),
    created_at: message.created_at.toISOString(),
  };
}

/** The link to download is signed anew each time; it is no secret of the row. */
export function attachmentView(attachment: AttachmentRow, storage: Storage): z.input<typeof wire.Attachment> {
  const { object_key: key, file_name: fileName, content_type: contentType } = attachment;
  return {
    attachment_id: attachment.id,
    message_id: attachment.message_id,
    file_name: fileName,
    content_type: contentType,
    status: attachment.status,
    size_bytes: attachment.size_bytes === null ? null : Number(attachment.size_bytes),
    sha256: attachment.sha256?.toString('hex') ?? null,
    created_at: attachment.created_at.toISOString(),
    download_url:
      attachment.status === 'confirmed'
        ? storage.presignGet({ key, fileName, contentType, expiresInSeconds: DOWNLOAD_SECONDS })
        : null,
  };
}
