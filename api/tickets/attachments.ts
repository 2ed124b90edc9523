/** Files on messages: asked for, handed in, confirmed. The same for both sides of the counter. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { HEAD_BYTES, isOfType } from '../../adapters/file-kind.ts';
import { newObjectKey } from '../../adapters/storage.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { launch } from '../../db/queries/platform/outbox.ts';
import {
  attachmentOf,
  countAttachments,
  insertAttachment,
  type AttachmentRow,
} from '../../db/queries/tickets/attachments.ts';
import type { TicketMessageRow } from '../../db/queries/tickets/messages.ts';
import { ticketOf, type TicketRow } from '../../db/queries/tickets/tickets.ts';
import {
  confirmUpload,
  insertUpload,
  uploadPlace,
  type UploadPlace,
} from '../../db/queries/tickets/uploads.ts';
import { UploadId, type UserId } from '../../domain/ids.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { TicketSide } from '../../domain/tickets/tickets.ts';
import {
  isContentType,
  MAX_ATTACHMENTS,
  MAX_INLINE_BYTES,
  MAX_UPLOAD_BYTES,
  UPLOAD_SECONDS,
  type ContentType,
} from '../../domain/tickets/uploads.ts';
import { confirm } from '../../workflows/upload/contract.ts';
import { uploadProcess } from '../../workflows/upload/process.ts';
import type { Services } from '../../services/services.ts';
import type * as wire from './schemas.ts';
import { attachmentView } from './views.ts';
import { transaction } from '../../db/transaction.ts';

/** The message that gets the file. */
export interface Place {
  readonly ticket: TicketRow;
  readonly message: TicketMessageRow;
}

/** Who hands in a file, and under which id. */
export interface Handing {
  readonly id: string;
  readonly uploader: UserId;
  readonly side: TicketSide;
  readonly requestId: string;
  readonly address: string;
}

/**
 * Permits an upload straight to the store; its process removes it unless it is confirmed in time.
 * Refuses unsupported_file_type, not_own_message, ticket_closed, too_many_attachments.
 */
export async function requestUpload(
  db: EntityManager,
  place: Place,
  file: z.output<typeof wire.UploadURLRequest>,
  handing: Handing,
  { storage }: Pick<Services, 'storage'>,
): Promise<z.input<typeof wire.UploadURLResponse>> {
  const contentType = acceptedType(file.content_type);
  const expected = await expectUpload(db, place, handing, {
    fileName: file.file_name,
    contentType,
    declaredBytes: file.content_length ?? null,
    declaredSha256: file.sha256 === undefined ? null : Buffer.from(file.sha256, 'hex'),
  });
  const put = storage.presignPut({
    key: expected.objectKey,
    contentType,
    contentLength: file.content_length,
    expiresInSeconds: UPLOAD_SECONDS,
  });
  return {
    document_id: UploadId.parse(handing.id),
    upload_url: put.url,
    upload_method: 'PUT',
    expires_at: expected.expiresAt.toISOString(),
    max_size_bytes: MAX_UPLOAD_BYTES,
    upload_headers: { ...put.headers },
  };
}

/**
 * Takes a small file out of the request itself. It is written down before it is stored, so that a crash between the two leaves
 * nothing that its process would not clear away; a repeat finds its own row and writes the same bytes to the same place.
 * Refuses unsupported_file_type, upload_rejected, upload_expired, not_own_message, ticket_closed, too_many_attachments.
 */
export async function attachInline(
  db: EntityManager,
  place: Place,
  file: z.output<typeof wire.AttachRequest>,
  handing: Handing,
  { storage }: Pick<Services, 'storage'>,
): Promise<z.input<typeof wire.Attachment>> {
  const contentType = acceptedType(file.content_type);
  const content = Buffer.from(file.content_base64, 'base64');
  const right =
    content.length <= MAX_INLINE_BYTES && (await isOfType(content.subarray(0, HEAD_BYTES), contentType));
  if (!right) throw new Refusal('upload_rejected');
  const found = { bytes: content.length, sha256: createHash('sha256').update(content).digest() };
  const { objectKey: key } = await transaction(db, (tx) =>
    expectUpload(tx, place, handing, {
      fileName: file.file_name,
      contentType,
      declaredBytes: found.bytes,
      declaredSha256: found.sha256,
    }),
  );
  await storage.put(key, content, contentType);
  const id = UploadId.parse(handing.id);
  await confirmUpload(db, id, found);
  const attachment = await knownAttachment(db, place.message, id);
  if (attachment.status !== 'confirmed') {
    // its process has cleared the place already, and nobody would come by again
    await storage.remove(key);
    throw new Refusal('upload_expired');
  }
  // this answer is kept to be repeated: a permission to download does not belong into it
  return { ...attachmentView(attachment, storage), download_url: null };
}

/** Has the process look at what was uploaded. Repeating it gives the same answer. Refuses upload_missing, upload_rejected, upload_expired. */
export async function confirmAttachment(
  db: EntityManager,
  { message }: Place,
  id: UploadId,
  caller: UserId,
  { storage, processes }: Pick<Services, 'storage' | 'processes'>,
): Promise<z.input<typeof wire.Attachment>> {
  let attachment = await knownAttachment(db, message, id);
  if (attachment.uploaderId !== caller) throw new Refusal('not_found');
  if (attachment.status === 'pending') {
    await processes.decide(uploadProcess, id, confirm, { by: caller });
    attachment = await knownAttachment(db, message, id);
  }
  switch (attachment.status) {
    case 'confirmed':
      return attachmentView(attachment, storage);
    case 'rejected':
      throw new Refusal('upload_rejected');
    case 'expired':
      throw new Refusal('upload_expired');
    case 'pending':
      // its process has not been started yet
      throw new Refusal('unavailable', { retryAfter: 2 });
  }
}

/** Writes down that a file is to come, and starts the process that removes it unless it is confirmed. Needs a transaction. */
async function expectUpload(
  db: EntityManager,
  { ticket, message }: Place,
  { side, requestId, address, ...handing }: Handing,
  file: {
    fileName: string;
    contentType: ContentType;
    declaredBytes: number | null;
    declaredSha256: Buffer | null;
  },
): Promise<UploadPlace> {
  const id = UploadId.parse(handing.id);
  const uploaderId = handing.uploader;
  const known = await uploadPlace(db, id);
  if (known !== undefined) return known;
  if (message.side !== side) throw new Refusal('not_own_message');
  const held = await ticketOf(db, null, ticket.id, true);
  // a twin may have written it down while this call waited for the ticket
  const twin = await uploadPlace(db, id);
  if (twin !== undefined) return twin;
  if (held?.status === 'closed') throw new Refusal('ticket_closed');
  // counted while the ticket is held, so that two uploads at once cannot both be the last
  const { count } = await countAttachments.one(db, { messageId: message.id });
  if (count >= MAX_ATTACHMENTS) throw new Refusal('too_many_attachments');
  const upload = { id, uploaderId, ...file, objectKey: newObjectKey(), expiresInSeconds: UPLOAD_SECONDS };
  const expected = await insertUpload.one(db, upload);
  await insertAttachment(db, { uploadId: id, messageId: message.id });
  await launch(db, uploadProcess, { id, uploaderId, expiresInSeconds: UPLOAD_SECONDS });
  if (side === 'support') {
    const after = { message_id: message.id, attachment_id: id };
    const about = { subjectType: 'ticket', subjectId: ticket.id, after, requestId, address };
    await record(db, { actorId: uploaderId, actorRole: 'admin', action: 'ticket.file_attached', ...about });
  }
  return expected;
}

async function knownAttachment(
  db: EntityManager,
  message: TicketMessageRow,
  id: UploadId,
): Promise<AttachmentRow> {
  const attachment = await attachmentOf.first(db, { messageId: message.id, uploadId: id });
  if (attachment === undefined) throw new Refusal('not_found');
  return attachment;
}

function acceptedType(type: string): ContentType {
  if (!isContentType(type)) throw new Refusal('unsupported_file_type');
  return type;
}
