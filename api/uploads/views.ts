/** Files as the wire shows them. */
import { viewingKey, type Storage } from '../../adapters/storage.ts';
import type { FileRow } from '../../db/queries/uploads/uploads.ts';
import { DOWNLOAD_SECONDS, VIEWING_TYPE } from '../../domain/uploads.ts';

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

/**
 * An identity document as views take it, with a link to look at it in the browser: at the copy of an image, which has no metadata, or at
 * a PDF itself. There is no link to the original of an image.
 */
export function withViewingLink<File extends FileRow>(row: File, storage: Storage) {
  const { id, kind, status, sha256 } = row;
  const isThere = kind === 'identity' && status === 'confirmed';
  const permitted = { ...seen(row), expiresInSeconds: DOWNLOAD_SECONDS, isShown: true };
  return {
    ...row,
    attachmentId: id,
    sha256: sha256?.toString('hex') ?? null,
    viewUrl: isThere ? storage.presignGet(permitted) : null,
  };
}

function seen({ objectKey: key, fileName, contentType }: FileRow) {
  if (contentType === 'application/pdf') return { key, fileName, contentType };
  const name = `${fileName.replace(/\.[^.]*$/, '')}.jpg`;
  return { key: viewingKey(key), fileName: name, contentType: VIEWING_TYPE };
}
