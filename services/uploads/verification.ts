/** Looking at uploads in the store, keeping or removing them: what their processes do. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { createHash } from 'node:crypto';
import { HEAD_BYTES, isOfType } from '../../adapters/file-kind.ts';
import type { Storage } from '../../adapters/storage.ts';
import { endUpload, uploadOf, type UploadEnd, type UploadRow } from '../../db/queries/uploads/uploads.ts';
import type { UploadId } from '../../domain/ids.ts';
import type { Refused } from '../../domain/process.ts';
import { MAX_UPLOAD_BYTES } from '../../domain/uploads.ts';
import type { UploadState } from '../../workflows/upload/contract.ts';
import { judgeDocument, reasonOf, removeUpload, storeCopy } from './documents.ts';

const REJECTED = { status: 'rejected', fault: null } as const;

/** Keeps what is there if it is as declared, otherwise removes it. Refuses upload_missing if nothing is there. */
export async function verifyUpload(
  db: EntityManager,
  storage: Storage,
  id: UploadId,
): Promise<UploadState | Refused> {
  const upload = await uploadOf(db, id);
  if (upload.status !== 'pending') return answerOf(upload);
  const there = await storage.stat(upload.objectKey);
  if (there === null) return { refused: 'upload_missing' };
  return answerOf(await end(db, storage, upload, await judged(upload, there.bytes, storage)));
}

/** Ends an upload that nobody confirmed in time, unless it has ended, and removes what was uploaded and not confirmed. */
export async function expireUpload(db: EntityManager, storage: Storage, id: UploadId): Promise<UploadState> {
  const { status } = await end(db, storage, await uploadOf(db, id), { status: 'expired' });
  return { status };
}

/** Removes whatever came after the end of an upload that was not confirmed. */
export async function clearUpload(db: EntityManager, storage: Storage, id: UploadId): Promise<void> {
  const upload = await uploadOf(db, id);
  if (upload.status !== 'confirmed') await removeUpload(storage, upload);
}

/** Compares size, content and checksum with what was declared. */
async function judged(upload: UploadRow, bytes: number, storage: Storage): Promise<UploadEnd> {
  const { kind, declaredBytes } = upload;
  if (bytes === 0 || bytes > MAX_UPLOAD_BYTES || bytes !== (declaredBytes ?? bytes)) return REJECTED;
  return kind === 'identity' ? judgedDocument(upload, storage) : judgedFile(upload, bytes, storage);
}

async function judgedFile(upload: UploadRow, bytes: number, storage: Storage): Promise<UploadEnd> {
  const { objectKey, contentType, declaredSha256 } = upload;
  const content = await storage.read(objectKey, HEAD_BYTES);
  const isRight =
    content !== null &&
    (await isOfType(content.head, contentType)) &&
    (declaredSha256 === null || content.sha256.equals(declaredSha256));
  return isRight ? { status: 'confirmed', sizeBytes: bytes, sha256: content.sha256 } : REJECTED;
}

/** An identity document is read whole, and the copy of it that people see is stored. */
async function judgedDocument(upload: UploadRow, storage: Storage): Promise<UploadEnd> {
  const { objectKey, contentType, declaredSha256 } = upload;
  const content = await storage.content(objectKey, MAX_UPLOAD_BYTES);
  if (content === null || content === 'too_large') return REJECTED;
  const sha256 = createHash('sha256').update(content).digest();
  if (declaredSha256 !== null && !sha256.equals(declaredSha256)) return REJECTED;
  const found = await judgeDocument(content, contentType);
  if (found.fault !== undefined) return { status: 'rejected', fault: found.fault };
  await storeCopy(storage, objectKey, found);
  return { status: 'confirmed', sizeBytes: content.length, sha256 };
}

/** The first end stands; answers the upload as it has ended. */
async function end(
  db: EntityManager,
  storage: Storage,
  { id }: UploadRow,
  as: UploadEnd,
): Promise<UploadRow> {
  const ended = await endUpload(db, id, as);
  if (ended.status !== 'confirmed') await removeUpload(storage, ended);
  return ended;
}

function answerOf({ status, fault }: UploadRow): UploadState | Refused {
  if (status === 'confirmed') return { status };
  return status === 'expired'
    ? { refused: 'upload_expired' }
    : { refused: 'upload_rejected', ...reasonOf(fault) };
}
