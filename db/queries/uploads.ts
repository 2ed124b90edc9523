/** Files on their way in: written down before they come, so that whatever comes has a row, and a process that clears it away. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { UploadId, UserId } from '../../domain/ids.ts';
import type { ContentType } from '../../domain/uploads.ts';
import { row, rows } from '../sql.ts';

/** Where a file is to go, and until when. */
export interface UploadPlace {
  readonly object_key: string;
  readonly expires_at: Date;
}

export interface NewUpload {
  readonly id: UploadId;
  readonly uploaderId: UserId;
  readonly fileName: string;
  readonly contentType: ContentType;
  /** What the uploader says beforehand; null where nothing was said. */
  readonly declaredBytes: number | null;
  readonly declaredSha256: Buffer | null;
  readonly objectKey: string;
  /** Seconds until it must be confirmed. */
  readonly expiresInSeconds: number;
}

/** The place of an upload that is known already. */
export function uploadPlace(em: EntityManager, id: UploadId): Promise<UploadPlace | undefined> {
  return row(em, 'select object_key, expires_at from uploads where id = $1', [id]);
}

export async function insertUpload(em: EntityManager, upload: NewUpload): Promise<UploadPlace> {
  const inserted = await row<UploadPlace>(
    em,
    `insert into uploads (id, uploader_id, file_name, content_type, declared_bytes, declared_sha256, object_key, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8)) returning object_key, expires_at`,
    [
      upload.id,
      upload.uploaderId,
      upload.fileName,
      upload.contentType,
      upload.declaredBytes,
      upload.declaredSha256,
      upload.objectKey,
      upload.expiresInSeconds,
    ],
  );
  if (inserted === undefined) throw new Error('an upload was not stored');
  return inserted;
}

/** Writes what was found at the place; an upload that has ended stays as it is. */
export async function confirmUpload(
  em: EntityManager,
  id: UploadId,
  found: { readonly bytes: number; readonly sha256: Buffer },
): Promise<void> {
  await rows(
    em,
    `update uploads set status = 'confirmed', size_bytes = $2, sha256 = $3, finished_at = now()
      where id = $1 and status = 'pending'`,
    [id, found.bytes, found.sha256],
  );
}
