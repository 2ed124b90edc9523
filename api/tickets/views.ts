/** Tickets as the wire shows them. */
import type { z } from 'zod';
import type { Storage } from '../../adapters/storage.ts';
import type { AttachmentRow } from '../../db/queries/tickets/attachments.ts';
import type { TicketMessageRow } from '../../db/queries/tickets/messages.ts';
import type { Conversation } from '../../services/tickets/conversation.ts';
import type { WebUi } from '../../services/platform/web-ui.ts';
import { ticketProcess } from '../../workflows/ticket/process.ts';
import { withLink } from '../uploads/views.ts';
import { processLink } from '../wire/process-link.ts';
import { viewOf } from '../wire/rows.ts';
import * as wire from './schemas.ts';

const detail = viewOf(wire.TicketDetail);
const written = viewOf(wire.TicketMessage);
const file = viewOf(wire.Attachment);

export const ticketSummaryView = viewOf(wire.TicketSummary);

/** `webUi` is given for administrators, who see the process. */
export function conversationView(
  { ticket, messages, attachments }: Conversation,
  storage: Storage,
  webUi?: WebUi,
): z.output<typeof wire.TicketDetail> {
  const byMessage = Map.groupBy(attachments, ({ messageId }) => messageId);
  const process = webUi === undefined ? undefined : processLink(ticketProcess.workflowId(ticket.id), webUi);
  return detail({
    ...ticket,
    messages: messages.map((message) => messageView(message, byMessage.get(message.id) ?? [], storage)),
    process,
  });
}

export function messageView(
  message: TicketMessageRow,
  attachments: readonly AttachmentRow[],
  storage: Storage,
): z.output<typeof wire.TicketMessage> {
  return written({
    ...message,
    attachments: attachments.map((attachment) => attachmentView(attachment, storage)),
  });
}

export function attachmentView(
  attachment: AttachmentRow,
  storage: Storage,
): z.output<typeof wire.Attachment> {
  return file(withLink(attachment, storage));
}
