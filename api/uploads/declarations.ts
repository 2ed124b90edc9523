/** What the three operations by which a file comes in have in common, whatever it belongs to. */
import type { z } from 'zod';
import type { FileRow } from '../../db/queries/uploads/uploads.ts';
import type { RefusalCode } from '../../domain/refusals.ts';
import { MAX_UPLOAD_BYTES } from '../../domain/uploads.ts';
import type { Services } from '../../services/services.ts';
import { attachInline, requestUpload } from '../../services/uploads/handing-in.ts';
import type { HandingIn, Place } from '../../services/uploads/place.ts';
import { AttachRequest, UploadURLRequest, UploadURLResponse } from './schemas.ts';

/** Room for the largest file in base64 and its name. */
export const INLINE_BODY_BYTES = 400_000;
/** What is not confirmed stays in the store for an hour: one person must not fill it. */
const FILES_AN_HOUR = { points: 60, seconds: 3_600, per: 'user' } as const;

/** Asks for an address to upload to. `refuses` is what the place adds. */
export const asking = <P extends z.ZodType, const R extends readonly RefusalCode[]>(own: {
  readonly params: P;
  readonly refuses: R;
}) =>
  ({
    description:
      'Returns an address to which one file can be uploaded: of the store if `content_length` says how large the file is, otherwise of this service, which refuses what is over `max_size_bytes`. PUT the file to `upload_url` with exactly the `upload_headers`, then confirm ' +
      'the upload with `document_id` as the id of the attachment.',
    method: 'POST',
    // the answer is a permission: it is not kept to be repeated, and what was asked for twice expires by itself
    idempotency: 'none',
    params: own.params,
    body: UploadURLRequest,
    status: 200,
    answer: UploadURLResponse,
    effect: 'transaction',
    throttle: FILES_AN_HOUR,
    process: 'upload',
    refuses: ['unsupported_file_type', ...own.refuses],
  }) as const;

/** Takes a small file inside the request. `refuses` is what the place adds. */
export const attaching = <
  P extends z.ZodType,
  A extends z.ZodType,
  const R extends readonly RefusalCode[],
>(own: {
  readonly params: P;
  readonly answer: A;
  readonly refuses: R;
}) =>
  ({
    method: 'POST',
    idempotency: 'accepted',
    params: own.params,
    body: AttachRequest,
    bodyLimit: INLINE_BODY_BYTES,
    throttle: FILES_AN_HOUR,
    status: 201,
    answer: own.answer,
    effect: 'own_transactions',
    refuses: ['unsupported_file_type', 'upload_rejected', 'upload_expired', ...own.refuses],
  }) as const;

/** Confirms that a file is uploaded. `refuses` is what the place adds. */
export const confirming = <
  P extends z.ZodType,
  A extends z.ZodType,
  const R extends readonly RefusalCode[] = readonly [],
>(own: {
  readonly params: P;
  readonly answer: A;
  readonly refuses?: R;
}) =>
  ({
    description:
      'Confirms that the file is uploaded. Its size, checksum and content are compared with what was announced; a file that differs is ' +
      'removed.',
    method: 'POST',
    // repeating it changes nothing; a file that was not there yet may be there now
    idempotency: 'none',
    params: own.params,
    status: 200,
    answer: own.answer,
    effect: 'decision',
    process: 'upload',
    refuses: ['upload_missing', 'upload_rejected', 'upload_expired', ...(own.refuses ?? [])],
  }) as const;

/** Answers the address to upload to. */
export async function permitted<Thing, Code extends RefusalCode>(
  call: HandingIn<'unsupported_file_type' | NoInfer<Code>>,
  place: Place<Thing, FileRow, Code>,
  body: z.output<typeof UploadURLRequest>,
  services: Services,
): Promise<z.output<typeof UploadURLResponse>> {
  const { file_name: fileName, content_type: contentType, content_length: contentLength, sha256 } = body;
  const file = { fileName, contentType, contentLength, sha256 };
  const { id, url, headers, expiresAt } = await requestUpload(call, place, file, services);
  return {
    document_id: id,
    upload_url: url,
    upload_method: 'PUT',
    expires_at: expiresAt,
    max_size_bytes: MAX_UPLOAD_BYTES,
    upload_headers: { ...headers },
  };
}

/** Answers the file that came inside the request, as `view` shows it. */
export async function attached<Thing, File extends FileRow, Code extends RefusalCode, View extends object>(
  call: HandingIn<'unsupported_file_type' | 'upload_rejected' | 'upload_expired' | NoInfer<Code>>,
  place: Place<Thing, File, Code>,
  { file_name: fileName, content_type: contentType, content_base64 }: z.output<typeof AttachRequest>,
  { storage }: Pick<Services, 'storage'>,
  view: (file: File, storage: Services['storage']) => View,
): Promise<View & { readonly download_url: null }> {
  const file = { fileName, contentType, content: Buffer.from(content_base64, 'base64') };
  const attachment = await attachInline(call, place, file, { storage });
  // this answer is kept to be repeated: a permission to download does not belong into it
  return { ...view(attachment, storage), download_url: null };
}
