/** Files that are to come: written down before they do, so that whatever is in the store has a row and a process. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { newObjectKey } from '../../adapters/storage.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { launch } from '../../db/queries/platform/outbox.ts';
import { countAttachments, insertAttachment } from '../../db/queries/tickets/attachments.ts';
import { messageOf, type TicketMessageRow } from '../../db/queries/tickets/messages.ts';
import { ticketOf } from '../../db/queries/tickets/tickets.ts';
import { insertUpload, uploadPlace, type UploadPlace } from '../../db/queries/tickets/uploads.ts';
import type { Person } from '../../domain/actor.ts';
import { UploadId, type TicketId, type TicketMessageId } from '../../domain/ids.ts';
import { found, type RefusalCode } from '../../domain/refusals.ts';
import type { TicketSide } from '../../domain/tickets/tickets.ts';
import { MAX_ATTACHMENTS, UPLOAD_SECONDS, type ContentType } from '../../domain/tickets/uploads.ts';
import { uploadProcess } from '../../workflows/upload/process.ts';
import type { Call } from '../callers.ts';

/** The message that gets the file, as the path names it, and the side that the caller stands on. */
export interface Place {
  readonly side: TicketSide;
  readonly ticket: TicketId;
  readonly message: TicketMessageId;
}

/** A call by which a person announces a file or hands it in. */
export interface Expecting<Code extends RefusalCode = never> extends Call<
  Code | 'not_own_message' | 'ticket_closed' | 'too_many_attachments'
> {
  readonly actor: Person;
  /** The file's id, the same for every repeat. */
  readonly newId: string;
}

interface Announced {
  readonly fileName: string;
  readonly contentType: ContentType;
  readonly declaredBytes: number | null;
  readonly declaredSha256: Buffer | null;
}

/** Writes down that a file is to come, and starts the process that removes it unless it is confirmed. Needs a transaction. */
export async function expectUpload(
  { db, actor, refusal, newId }: Expecting,
  { side }: Place,
  message: TicketMessageRow,
  file: Announced,
): Promise<UploadPlace> {
  const id = UploadId.parse(newId);
  const known = await uploadPlace(db, id);
  if (known !== undefined) return known;
  if (message.side !== side) throw refusal('not_own_message');
  const ticket = await ticketOf(db, null, message.ticketId, true);
  // a twin may have written it down while this call waited for the ticket
  const twin = await uploadPlace(db, id);
  if (twin !== undefined) return twin;
  if (ticket?.status === 'closed') throw refusal('ticket_closed');
  // counted while the ticket is locked, so that two uploads at once cannot both be the last
  const { count } = await countAttachments.one(db, { messageId: message.id });
  if (count >= MAX_ATTACHMENTS) throw refusal('too_many_attachments');
  const order = { id, uploaderId: actor.id, expiresInSeconds: UPLOAD_SECONDS };
  const expected = await insertUpload.one(db, { ...order, ...file, objectKey: newObjectKey() });
  await insertAttachment(db, { uploadId: id, messageId: message.id });
  await launch(db, uploadProcess, order);
  if (side === 'support') {
    const after = { message_id: message.id, attachment_id: id };
    await record(db, actor, { action: 'ticket.file_attached', subject: ['ticket', message.ticketId], after });
  }
  return expected;
}

/** A message that this side may see: in the customer's own ticket, or in anybody's for support. */
export async function visibleMessage(
  { db, actor }: { readonly db: EntityManager; readonly actor: Person },
  { side, ticket, message }: Place,
): Promise<TicketMessageRow> {
  found(await ticketOf(db, side === 'support' ? null : actor.id, ticket));
  return found(await messageOf(db, ticket, message));
}
