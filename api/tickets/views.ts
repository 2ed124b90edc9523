/** Tickets as the wire shows them. */
import type { z } from 'zod';
import type { Storage } from '../../adapters/storage.ts';
import type { AttachmentRow } from '../../db/queries/tickets/attachments.ts';
import type { TicketMessageRow } from '../../db/queries/tickets/messages.ts';
import type { TicketRow } from '../../db/queries/tickets/tickets.ts';
import { DOWNLOAD_SECONDS } from '../../domain/tickets/uploads.ts';
import type * as wire from './schemas.ts';

export function ticketSummaryView(ticket: TicketRow): z.input<typeof wire.TicketSummary> {
  return {
    id: ticket.id,
    number: ticket.number,
    customer_id: ticket.customerId,
    subject: ticket.subject,
    category: ticket.category,
    status: ticket.status,
    created_at: ticket.createdAt.toISOString(),
    last_activity_at: ticket.lastActivityAt.toISOString(),
    closed_at: ticket.closedAt?.toISOString() ?? null,
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
    close_reason: ticket.closeReason,
    messages: messages.map((message) =>
      messageView(
        message,
        attachments.filter(({ messageId }) => messageId === message.id),
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
    author_id: message.authorId,
    body: message.body,
    attachments: attachments.map((attachment) => attachmentView(attachment, storage)),
    created_at: message.createdAt.toISOString(),
  };
}

/** The link to download is signed anew each time; it is no secret of the row. */
export function attachmentView(attachment: AttachmentRow, storage: Storage): z.input<typeof wire.Attachment> {
  const { objectKey: key, fileName, contentType } = attachment;
  return {
    attachment_id: attachment.id,
    message_id: attachment.messageId,
    file_name: fileName,
    content_type: contentType,
    status: attachment.status,
    size_bytes: attachment.sizeBytes,
    sha256: attachment.sha256?.toString('hex') ?? null,
    created_at: attachment.createdAt.toISOString(),
    download_url:
      attachment.status === 'confirmed'
        ? storage.presignGet({ key, fileName, contentType, expiresInSeconds: DOWNLOAD_SECONDS })
        : null,
  };
}
