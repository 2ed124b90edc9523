/** Files on messages: asked for, handed in, confirmed. The same for both sides of the counter. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { HEAD_BYTES, isOfType } from '../../adapters/file-kind.ts';
import { newObjectKey } from '../../adapters/storage.ts';
import { launch } from '../../db/outbox.ts';
import {
  attachmentOf,
  type AttachmentRow,
  type TicketMessageRow,
  type TicketRow,
} from '../../db/queries/tickets.ts';
import { row, rows } from '../../db/sql.ts';
import { UploadId, type UserId } from '../../domain/ids.ts';
import { Refusal } from '../../domain/refusals.ts';
import {
  isContentType,
  MAX_ATTACHMENTS,
  MAX_INLINE_BYTES,
  MAX_UPLOAD_BYTES,
  UPLOAD_SECONDS,
  type ContentType,
} from '../../domain/uploads.ts';
import { confirm, uploadProcess } from '../../workflows/upload/contract.ts';
import type { Services } from '../services.ts';
import type * as wire from './schemas.ts';
import { attachmentView } from './views.ts';

interface Place {
  readonly ticket: TicketRow;
  readonly message: TicketMessageRow;
}

/** Permits an upload straight to the store; its process removes it unless it is confirmed in time. Refuses unsupported_file_type, ticket_closed, too_many_attachments. */
export async function requestUpload(
  db: EntityManager,
  { ticket, message }: Place,
  file: z.output<typeof wire.UploadURLRequest>,
  who: { id: string; uploader: UserId },
  { storage }: Pick<Services, 'storage'>,
): Promise<z.input<typeof wire.UploadURLResponse>> {
  const contentType = acceptedType(file.content_type);
  const id = UploadId.parse(who.id);
  const key = newObjectKey();
  await makeRoom(db, ticket, message);
  const made = await row<{ expires_at: Date }>(
    db,
    `insert into uploads (id, uploader_id, file_name, content_type, declared_bytes, declared_sha256, object_key, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8)) returning expires_at`,
    [
      id,
      who.uploader,
      file.file_name,
      contentType,
      file.content_length ?? null,
      hexOrNull(file.sha256),
      key,
      UPLOAD_SECONDS,
    ],
  );
  if (made === undefined) throw new Error('the upload was not written');
  await rows(db, 'insert into ticket_attachments (upload_id, message_id) values ($1, $2)', [id, message.id]);
  await launch(db, uploadProcess, { id, uploaderId: who.uploader, expiresInSeconds: UPLOAD_SECONDS });
  const put = storage.presignPut({
    key,
    contentType,
    contentLength: file.content_length,
    expiresInSeconds: UPLOAD_SECONDS,
  });
  return {
    document_id: id,
    upload_url: put.url,
    upload_method: 'PUT',
    expires_at: made.expires_at.toISOString(),
    max_size_bytes: MAX_UPLOAD_BYTES,
    upload_headers: { ...put.headers },
  };
}

/** Takes a small file out of the request itself. Refuses unsupported_file_type, ticket_closed, too_many_attachments, upload_rejected. */
export async function attachInline(
  db: EntityManager,
  { ticket, message }: Place,
  file: z.output<typeof wire.AttachRequest>,
  who: { id: string; uploader: UserId },
  { storage }: Pick<Services, 'storage'>,
): Promise<z.input<typeof wire.Attachment>> {
  const contentType = acceptedType(file.content_type);
  if (ticket.status === 'closed') throw new Refusal('ticket_closed');
  const content = Buffer.from(file.content_base64, 'base64');
  const tooLarge = content.length > MAX_INLINE_BYTES;
  if (tooLarge || !(await isOfType(content.subarray(0, HEAD_BYTES), contentType)))
    throw new Refusal('upload_rejected');
  const id = UploadId.parse(who.id);
  const key = newObjectKey();
  // the object first: a row must never name a file that is not there
  await storage.put(key, content, contentType);
  return db.transactional(async (tx) => {
    await makeRoom(tx, ticket, message);
    await rows(
      tx,
      `insert into uploads (id, uploader_id, file_name, content_type, object_key, status, size_bytes, sha256, expires_at, finished_at)
       values ($1, $2, $3, $4, $5, 'confirmed', $6, $7, now() + interval '1 second', now()) on conflict (id) do nothing`,
      [
        id,
        who.uploader,
        file.file_name,
        contentType,
        key,
        content.length,
        createHash('sha256').update(content).digest(),
      ],
    );
    await rows(
      tx,
      'insert into ticket_attachments (upload_id, message_id) values ($1, $2) on conflict do nothing',
      [id, message.id],
    );
    return attachmentView(await knownAttachment(tx, message, id), storage);
  });
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
  if (attachment.uploader_id !== caller) throw new Refusal('not_found');
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

async function knownAttachment(
  db: EntityManager,
  message: TicketMessageRow,
  id: UploadId,
): Promise<AttachmentRow> {
  const attachment = await attachmentOf(db, message.id, id);
  if (attachment === undefined) throw new Refusal('not_found');
  return attachment;
}

/** Holds the ticket while it counts, so that two uploads at once cannot both be the last. */
async function makeRoom(db: EntityManager, ticket: TicketRow, message: TicketMessageRow): Promise<void> {
  const held = await row<{ status: string }>(db, 'select status from tickets where id = $1 for update', [
    ticket.id,
  ]);
  if (held?.status === 'closed') throw new Refusal('ticket_closed');
  const counted = await row<{ count: number }>(
    db,
    `select count(*)::int as count from ticket_attachments a join uploads u on u.id = a.upload_id
      where a.message_id = $1 and u.status in ('pending', 'confirmed')`,
    [message.id],
  );
  if ((counted?.count ?? 0) >= MAX_ATTACHMENTS) throw new Refusal('too_many_attachments');
}

function acceptedType(type: string): ContentType {
  if (!isContentType(type)) throw new Refusal('unsupported_file_type');
  return type;
}

function hexOrNull(hex: string | undefined): Buffer | null {
  return hex === undefined ? null : Buffer.from(hex, 'hex');
}
