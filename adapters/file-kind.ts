/** What a file really is, by its first bytes. */
import { fileTypeFromBuffer } from 'file-type';
import type { ContentType } from '../domain/uploads.ts';

/** How many bytes from the start are looked at. */
export const HEAD_BYTES = 4_100;

/** True where the bytes are of the type they are said to be. Text has no mark of its own: it must be UTF-8 without control bytes. */
export async function isOfType(head: Buffer, type: ContentType): Promise<boolean> {
  const found = await fileTypeFromBuffer(head);
  if (type !== 'text/plain') return found?.mime === type;
  return found === undefined && isText(head);
}

function isText(head: Buffer): boolean {
  try {
    // a character cut in two at the end of the head is no fault of the file
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return !/[\x00-\x08\x0e-\x1f]/.test(text);
  } catch {
    return false;
  }
}
