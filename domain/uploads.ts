/** Files that people hand in: what is accepted, how large, for how long an upload stays open. */

/** A file of an upload URL: 10 MiB. */
export const MAX_UPLOAD_BYTES = 10 * 1024 * 1024;

/** A file inside a JSON body: 256 KiB before base64. Larger ones go through an upload URL. */
export const MAX_INLINE_BYTES = 256 * 1024;

/** How long an upload URL can be used and its upload confirmed. In seconds. */
export const UPLOAD_SECONDS = 15 * 60;

/** A PUT that began just in time may end late: the place is cleared a second time after this. In seconds. */
export const LATE_UPLOAD_SECONDS = 60 * 60;

/** How long a download link can be used. In seconds. */
export const DOWNLOAD_SECONDS = 10 * 60;

export const CONTENT_TYPES = [
  'application/pdf',
  'image/png',
  'image/jpeg',
  'image/webp',
  'text/plain',
] as const;
export type ContentType = (typeof CONTENT_TYPES)[number];

export const UPLOAD_STATUSES = ['pending', 'confirmed', 'rejected', 'expired'] as const;
export type UploadStatus = (typeof UPLOAD_STATUSES)[number];

/** True for a type that is accepted. */
export function isContentType(type: string): type is ContentType {
  return (CONTENT_TYPES as readonly string[]).includes(type);
}
