/** Files on their way in: asked for, handed in, confirmed. The same for whatever they belong to. */
import { createHash } from 'node:crypto';
import { HEAD_BYTES, isOfType } from '../../adapters/file-kind.ts';
import { endUpload, type FileRow } from '../../db/queries/uploads/uploads.ts';
import { transaction } from '../../db/transaction.ts';
import type { Person } from '../../domain/actor.ts';
import { UploadId } from '../../domain/ids.ts';
import { found, type RefusalCode } from '../../domain/refusals.ts';
import {
  isAcceptedType,
  MAX_INLINE_BYTES,
  UPLOAD_SECONDS,
  type ContentType,
  type UploadKind,
} from '../../domain/uploads.ts';
import { confirm } from '../../workflows/upload/contract.ts';
import type { Call, Refusing } from '../callers.ts';
import { decideOrRecover } from '../platform/recovery.ts';
import type { Services } from '../services.ts';
import { judgeDocument, reasonOf, removeUpload, storeCopy, type JudgedDocument } from './documents.ts';
import { doorAddress } from './door.ts';
import { expectUpload } from './expected.ts';
import type { HandingIn, Place } from './place.ts';
import { uploadRecovery } from './recovery.ts';

/**
 * Permits an upload: straight to the store if its size is declared, otherwise through our own door, which stops at the cap. Its process
 * removes it unless it is confirmed in time.
 */
export async function requestUpload<Thing, Code extends RefusalCode>(
  call: HandingIn<'unsupported_file_type' | NoInfer<Code>>,
  place: Place<Thing, FileRow, Code>,
  file: {
    readonly fileName: string;
    readonly contentType: string;
    readonly contentLength: number | undefined;
    readonly sha256: string | undefined;
  },
  { storage, cipher, config }: Pick<Services, 'storage' | 'cipher' | 'config'>,
) {
  const { fileName, contentLength, sha256 } = file;
  const thing = await place.find(call);
  const contentType = acceptedType(call, file.contentType, place.kind);
  const { objectKey: key, expiresAt } = await expectUpload(call, place, thing, {
    fileName,
    contentType,
    declaredBytes: contentLength ?? null,
    declaredSha256: sha256 === undefined ? null : Buffer.from(sha256, 'hex'),
  });
  const id = UploadId.parse(call.newId);
  if (contentLength === undefined) {
    const url = doorAddress(cipher, config.publicUrl, id, expiresAt);
    return { id, url, headers: { 'content-type': contentType }, expiresAt };
  }
  const wanted = { key, contentType, contentLength, expiresInSeconds: UPLOAD_SECONDS };
  return { id, ...storage.presignPut(wanted), expiresAt };
}

/**
 * Takes a small file out of the request itself. It is written down before it is stored, so that a crash between the two leaves
 * nothing that its process would not clear away; a repeat finds its own row and writes the same bytes to the same place.
 */
export async function attachInline<Thing, File extends FileRow, Code extends RefusalCode>(
  call: HandingIn<'unsupported_file_type' | 'upload_rejected' | 'upload_expired' | NoInfer<Code>>,
  place: Place<Thing, File, Code>,
  file: { readonly fileName: string; readonly contentType: string; readonly content: Buffer },
  { storage }: Pick<Services, 'storage'>,
): Promise<File> {
  const { db, refusal } = call;
  const { fileName, content } = file;
  const thing = await place.find(call);
  const contentType = acceptedType(call, file.contentType, place.kind);
  const judged = await judgeInline(call, content, contentType, place.kind);
  const sha256 = createHash('sha256').update(content).digest();
  const declared = { fileName, contentType, declaredBytes: content.length, declaredSha256: sha256 };
  const { objectKey: key } = await transaction(db, (tx) =>
    expectUpload({ ...call, db: tx }, place, thing, declared),
  );
  await storeCopy(storage, key, judged);
  await storage.put(key, content, contentType);
  const id = UploadId.parse(call.newId);
  await endUpload(db, id, { status: 'confirmed', sizeBytes: content.length, sha256 });
  const attachment = found(await place.file(db, thing, id));
  if (attachment.status !== 'confirmed') {
    // its process has cleared the place already, and nobody would come by again
    await removeUpload(storage, attachment);
    throw refusal('upload_expired');
  }
  return attachment;
}

/** Has the process look at what was uploaded. Repeating it gives the same answer. */
export async function confirmAttachment<Thing, File extends FileRow>(
  call: Call<'upload_missing' | 'upload_rejected' | 'upload_expired'> & { readonly actor: Person },
  place: Pick<Place<Thing, File, never>, 'find' | 'file'>,
  id: UploadId,
  { processes }: Pick<Services, 'processes'>,
): Promise<File> {
  const { db, actor, refusal } = call;
  const thing = await place.find(call);
  let attachment = found(await place.file(db, thing, id));
  if (attachment.uploaderId !== actor.id) throw refusal('not_found');
  if (attachment.status === 'pending') {
    await decideOrRecover(uploadRecovery, { db, processes }, id, confirm, { by: actor.id });
    attachment = found(await place.file(db, thing, id));
  }
  switch (attachment.status) {
    case 'confirmed':
      return attachment;
    case 'rejected':
      throw refusal('upload_rejected', reasonOf(attachment.fault));
    case 'expired':
      throw refusal('upload_expired');
    case 'pending':
      // its process has not been started yet
      throw refusal('unavailable', { retryAfter: 2 });
  }
}

function acceptedType(
  { refusal }: Refusing<'unsupported_file_type'>,
  type: string,
  kind: UploadKind = 'file',
): ContentType {
  if (!isAcceptedType(type, kind)) throw refusal('unsupported_file_type');
  return type;
}

/** Refuses a file that must not be kept. */
async function judgeInline(
  { refusal }: Refusing<'upload_rejected'>,
  content: Buffer,
  type: ContentType,
  kind: UploadKind = 'file',
): Promise<JudgedDocument> {
  if (content.length > MAX_INLINE_BYTES) throw refusal('upload_rejected');
  if (kind === 'identity') {
    const judged = await judgeDocument(content, type);
    if (judged.fault !== undefined) throw refusal('upload_rejected', reasonOf(judged.fault));
    return judged;
  }
  if (!(await isOfType(content.subarray(0, HEAD_BYTES), type))) throw refusal('upload_rejected');
  return {};
}
