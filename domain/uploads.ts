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

/** An identity document proves who somebody is. It is decoded before it is kept; any other file is only known by its first bytes. */
export const UPLOAD_KINDS = ['file', 'identity'] as const;
export type UploadKind = (typeof UPLOAD_KINDS)[number];

/** The shorter side of an identity document that is an image, at least. In pixels. */
export const MIN_IMAGE_SIDE = 600;

/** The type of the copy that people see of an identity document that is an image, whatever the original is. */
export const VIEWING_TYPE = 'image/jpeg';

/** An identity document in PDF has at most so many pages. */
export const MAX_DOCUMENT_PAGES = 20;

/** What can be wrong with the content of an identity document. */
export const DOCUMENT_FAULTS = [
  'not_readable',
  'too_small',
  'encrypted',
  'has_scripts',
  'has_attachments',
  'too_many_pages',
] as const;
export type DocumentFault = (typeof DOCUMENT_FAULTS)[number];

export const UPLOAD_STATUSES = ['pending', 'confirmed', 'rejected', 'expired'] as const;
export type UploadStatus = (typeof UPLOAD_STATUSES)[number];

/** True for a type that is accepted. */
export function isContentType(type: string): type is ContentType {
  return (CONTENT_TYPES as readonly string[]).includes(type);
}

/** True for a type in which uploads of this kind are accepted: an identity document is an image or PDF. */
export function isAcceptedType(type: string, kind: UploadKind): type is ContentType {
  return isContentType(type) && (kind === 'file' || type !== 'text/plain');
}
