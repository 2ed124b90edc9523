/** Messages take files: from whoever may see the ticket, on messages of their own side, as long as it is open. */
import {
  attachmentOf,
  countAttachments,
  insertAttachment,
  type AttachmentRow,
} from '../../db/queries/tickets/attachments.ts';
import { messageOf, type TicketMessageRow } from '../../db/queries/tickets/messages.ts';
import { ticketOf, type TicketRow } from '../../db/queries/tickets/tickets.ts';
import type { TicketId, TicketMessageId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import { MAX_ATTACHMENTS, type TicketSide } from '../../domain/tickets/tickets.ts';
import type { Place } from '../uploads/place.ts';

interface MessageOfTicket {
  readonly ticket: TicketRow;
  readonly message: TicketMessageRow;
}

type MessagePlace = Place<
  MessageOfTicket,
  AttachmentRow,
  'not_own_message' | 'ticket_closed' | 'too_many_attachments'
>;

/** A message as one side sees it: customers in their own tickets, support in everybody's. */
export function messagePlace(side: TicketSide, ticketId: TicketId, messageId: TicketMessageId): MessagePlace {
  return {
    async find({ db, actor }) {
      const ticket = found(await ticketOf(db, side === 'support' ? null : actor.id, ticketId));
      return { ticket, message: found(await messageOf(db, ticketId, messageId)) };
    },
    async lock(db, { message }) {
      return { ticket: found(await ticketOf(db, null, message.ticketId, true)), message };
    },
    async admit({ db, refusal }, { ticket, message }) {
      if (message.side !== side) throw refusal('not_own_message');
      if (ticket.status === 'closed') throw refusal('ticket_closed');
      const { count } = await countAttachments.one(db, { messageId: message.id });
      if (count >= MAX_ATTACHMENTS) throw refusal('too_many_attachments');
    },
    tie: (db, { message }, uploadId) => insertAttachment(db, { uploadId, messageId: message.id }),
    file: (db, { message }, uploadId) => attachmentOf.first(db, { messageId: message.id, uploadId }),
    deed({ message }, id) {
      if (side === 'customer') return null;
      const after = { message_id: message.id, attachment_id: id };
      return { action: 'ticket.file_attached', subject: ['ticket', message.ticketId], after };
    },
  };
}
