/** Files as the wire shows them. */
import type { Storage } from '../../adapters/storage.ts';
import type { FileRow } from '../../db/queries/uploads/uploads.ts';
import { DOWNLOAD_SECONDS } from '../../domain/uploads.ts';

/** A file as views take it, with a link to download it, which is signed anew each time; it is no secret of the row. */
export function withLink<File extends FileRow>(row: File, storage: Storage) {
  const { id, objectKey: key, fileName, contentType, status, sha256 } = row;
  const permitted = { key, fileName, contentType, expiresInSeconds: DOWNLOAD_SECONDS };
  return {
    ...row,
    attachmentId: id,
    sha256: sha256?.toString('hex') ?? null,
    downloadUrl: status === 'confirmed' ? storage.presignGet(permitted) : null,
  };
}
