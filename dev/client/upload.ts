/** Handing in a file: the API permits it, the object store takes it, the API confirms it. */
import { z } from 'zod';
import { call, type Client } from './http.ts';

const Upload = z.looseObject({
  document_id: z.string(),
  upload_url: z.url(),
  upload_headers: z.record(z.string(), z.string()),
});
const Attachment = z.looseObject({ status: z.string(), size_bytes: z.number(), download_url: z.url() });
export type Attachment = z.output<typeof Attachment>;

/** Puts a text file on a message of a ticket; `root` is the path of the message's attachments. */
export async function handInText(
  client: Client,
  token: string,
  root: string,
  file: { readonly name: string; readonly content: string },
): Promise<Attachment> {
  const body = {
    file_name: file.name,
    content_type: 'text/plain',
    content_length: String(Buffer.byteLength(file.content)),
  };
  const upload = await call(client, 'POST', `${root}/upload-url`, Upload, { token, body });
  const headers = upload.upload_headers;
  const stored = await fetch(upload.upload_url, { method: 'PUT', headers, body: file.content });
  client.hear?.(`PUT to the store  →  ${stored.status}`);
  if (!stored.ok) throw new Error(`the store refused the file: ${await stored.text()}`);
  return call(client, 'POST', `${root}/${upload.document_id}/confirm`, Attachment, { token });
}
