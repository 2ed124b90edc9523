/** Files on the wire: as they are announced or sent, and as they are shown. */
import { z } from 'zod';
import { UploadId } from '../../domain/ids.ts';
import { CONTENT_TYPES, MAX_INLINE_BYTES, MAX_UPLOAD_BYTES, UPLOAD_STATUSES } from '../../domain/uploads.ts';
import { named } from '../wire/naming.ts';
import { Timestamp } from '../wire/shapes.ts';
import { Line } from '../wire/text.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const EXAMPLE_TIME = '2026-03-01T09:30:00.000Z';
const BASE64_PER_BYTES = 4 / 3;

const FileName = Line(255)
  .refine((name) => !/[/\\]/.test(name) && name !== '.' && name !== '..', {
    message: 'must be a name without a path',
  })
  .describe('Shown to who downloads it; any script.');
const ContentType = z
  .string()
  .max(120)
  .describe(`One of ${CONTENT_TYPES.join(', ')}.`);

/** The specification's body is an object of strings, so numbers are strings here. */
export const UploadURLRequest = named(
  'UploadURLRequest',
  z.strictObject({
    file_name: FileName,
    content_type: ContentType,
    content_length: z
      .string()
      .regex(/^[1-9]\d{0,11}$/, 'must be a number of bytes')
      .transform(Number)
      .refine((bytes) => bytes <= MAX_UPLOAD_BYTES, { message: `must be at most ${MAX_UPLOAD_BYTES}` })
      .optional()
      .describe(
        'Size in bytes. If it is given, the file goes straight to the store, which refuses any other size.',
      ),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
      .optional()
      .describe('Checked when the upload is confirmed.'),
  }),
  { file_name: 'receipt.pdf', content_type: 'application/pdf' },
);
export const UploadURLResponse = named(
  'UploadURLResponse',
  z.strictObject({
    document_id: UploadId.describe('Id of the attachment, for its confirmation.'),
    upload_url: z.url(),
    upload_method: z.literal('PUT'),
    expires_at: Timestamp,
    max_size_bytes: z.int(),
    upload_headers: z
      .record(z.string(), z.string())
      .describe('Addition: the headers to send with the upload, as signed.'),
  }),
  {
    document_id: EXAMPLE_ID,
    upload_url: 'http://127.0.0.1:7070/teller/uploads/x?X-Amz-Signature=y',
    upload_method: 'PUT',
    expires_at: EXAMPLE_TIME,
    max_size_bytes: MAX_UPLOAD_BYTES,
    upload_headers: { 'content-type': 'application/pdf', 'if-none-match': '*' },
  },
);
export const AttachRequest = named(
  'AttachRequest',
  z.strictObject({
    file_name: FileName,
    content_type: ContentType,
    content_base64: z
      .base64()
      .min(4)
      .max(Math.ceil(MAX_INLINE_BYTES * BASE64_PER_BYTES) + 4)
      .describe(`At most ${MAX_INLINE_BYTES} bytes; larger files go through an upload URL.`),
  }),
  { file_name: 'note.txt', content_type: 'text/plain', content_base64: 'SGVsbG8=' },
);

/** What is shown of a file besides its id and what it belongs to. A GET of `owner`, such as a ticket, gives a fresh link. */
export const fileFields = (owner: string) => ({
  file_name: z.string(),
  content_type: z.string(),
  status: z.enum(UPLOAD_STATUSES),
  size_bytes: z.int().nullable(),
  sha256: z.string().nullable().describe('Hexadecimal, of what is stored.'),
  created_at: Timestamp,
  download_url: z
    .url()
    .nullable()
    .describe(
      `Works for ten minutes; get the ${owner} for a fresh one. Null until the upload is confirmed, and in an answer that is kept to be repeated.`,
    ),
});
export const fileExample = {
  file_name: 'receipt.pdf',
  content_type: 'application/pdf',
  status: 'confirmed' as const,
  size_bytes: 4_711,
  sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  created_at: EXAMPLE_TIME,
  download_url: 'http://127.0.0.1:7070/teller/uploads/x?X-Amz-Signature=z',
};
