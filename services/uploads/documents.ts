/** Identity documents among the uploads, each with a copy beside it that people see. */
import { examineDocument, viewingCopy, type ViewingCopy } from '../../adapters/document-content.ts';
import { viewingKey, type Storage } from '../../adapters/storage.ts';
import type { UploadRow } from '../../db/queries/uploads/uploads.ts';
import type { ContentType, DocumentFault } from '../../domain/uploads.ts';

/** Either what is wrong with a document, or the copy of it that people see; a PDF has none. */
export interface JudgedDocument {
  readonly fault?: DocumentFault;
  readonly copy?: ViewingCopy;
}

/** Looks at the whole content. */
export async function judgeDocument(content: Buffer, type: ContentType): Promise<JudgedDocument> {
  const fault = await examineDocument(content, type);
  if (fault !== undefined) return { fault };
  const copy = await viewingCopy(content, type);
  if (copy === 'not_readable') return { fault: copy };
  return copy === undefined ? {} : { copy };
}

/** Before the upload is confirmed, so that what is confirmed can be seen. */
export async function storeCopy(
  storage: Storage,
  objectKey: string,
  { copy }: JudgedDocument,
): Promise<void> {
  if (copy !== undefined) await storage.put(viewingKey(objectKey), copy.content, copy.contentType);
}

/** Removes whatever an upload has in the store. */
export async function removeUpload(
  storage: Storage,
  { kind, objectKey }: Pick<UploadRow, 'kind' | 'objectKey'>,
): Promise<void> {
  if (kind === 'identity') await storage.remove(viewingKey(objectKey));
  await storage.remove(objectKey);
}

/** What the refusal upload_rejected says beside its code. */
export function reasonOf(fault: DocumentFault | null): {
  readonly members?: { readonly reason: DocumentFault };
} {
  return fault === null ? {} : { members: { reason: fault } };
}
