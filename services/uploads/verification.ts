/** Looking at uploads in the store, keeping or removing them: what their processes do. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { HEAD_BYTES, isOfType } from '../../adapters/file-kind.ts';
import type { Storage } from '../../adapters/storage.ts';
import { endUpload, uploadOf, type UploadEnd, type UploadRow } from '../../db/queries/uploads/uploads.ts';
import type { UploadId } from '../../domain/ids.ts';
import type { Refused } from '../../domain/process.ts';
import { MAX_UPLOAD_BYTES, type UploadStatus } from '../../domain/uploads.ts';
import type { UploadState } from '../../workflows/upload/contract.ts';

/** Keeps what is there if it is as declared, otherwise removes it. Refuses upload_missing if nothing is there. */
export async function verifyUpload(
  db: EntityManager,
  storage: Storage,
  id: UploadId,
): Promise<UploadState | Refused> {
  const upload = await uploadOf(db, id);
  if (upload.status !== 'pending') return answerOf(upload.status);
  const there = await storage.stat(upload.objectKey);
  if (there === null) return { refused: 'upload_missing' };
  return answerOf(await end(db, storage, upload, await judged(upload, there.bytes, storage)));
}

/** Ends an upload that nobody confirmed in time, unless it has ended, and removes what was uploaded and not confirmed. */
export async function expireUpload(db: EntityManager, storage: Storage, id: UploadId): Promise<UploadState> {
  return { status: await end(db, storage, await uploadOf(db, id), { status: 'expired' }) };
}

/** Removes whatever came after the end of an upload that was not confirmed. */
export async function clearUpload(db: EntityManager, storage: Storage, id: UploadId): Promise<void> {
  const { status, objectKey } = await uploadOf(db, id);
  if (status !== 'confirmed') await storage.remove(objectKey);
}

/** Compares size, content and checksum with what was declared. */
async function judged(upload: UploadRow, bytes: number, storage: Storage): Promise<UploadEnd> {
  const { objectKey, contentType, declaredBytes, declaredSha256 } = upload;
  if (bytes === 0 || bytes > MAX_UPLOAD_BYTES || bytes !== (declaredBytes ?? bytes))
    return { status: 'rejected' };
  const content = await storage.read(objectKey, HEAD_BYTES);
  const isRight =
    content !== null &&
    (await isOfType(content.head, contentType)) &&
    (declaredSha256 === null || content.sha256.equals(declaredSha256));
  return isRight ? { status: 'confirmed', sizeBytes: bytes, sha256: content.sha256 } : { status: 'rejected' };
}

/** The first end stands; answers how the upload has ended. */
async function end(
  db: EntityManager,
  storage: Storage,
  { id, objectKey }: UploadRow,
  as: UploadEnd,
): Promise<UploadStatus> {
  const status = await endUpload(db, id, as);
  if (status !== 'confirmed') await storage.remove(objectKey);
  return status;
}

function answerOf(status: UploadStatus): UploadState | Refused {
  if (status === 'confirmed') return { status };
  return { refused: status === 'expired' ? 'upload_expired' : 'upload_rejected' };
}
