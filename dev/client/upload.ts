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

/** Asks for an upload below `root`, and puts the file into the store; answers the id by which it is confirmed. */
export async function putIntoStore(
  client: Client,
  token: string,
  root: string,
  file: { readonly file_name: string; readonly content_type: string },
  content: Buffer,
): Promise<string> {
  const body = { ...file, content_length: String(content.length) };
  const upload = await call(client, 'POST', `${root}/upload-url`, Upload, { token, body });
  const headers = upload.upload_headers;
  const stored = await fetch(upload.upload_url, { method: 'PUT', headers, body: Uint8Array.from(content) });
  client.hear?.(`PUT to the store  →  ${stored.status}`);
  if (!stored.ok) throw new Error(`the store refused the file: ${await stored.text()}`);
  return upload.document_id;
}

/** Puts a text file on a message of a ticket; `root` is the path of the message's attachments. */
export async function handInText(
  client: Client,
  token: string,
  root: string,
  file: { readonly name: string; readonly content: string },
): Promise<Attachment> {
  const announced = { file_name: file.name, content_type: 'text/plain' };
  const id = await putIntoStore(client, token, root, announced, Buffer.from(file.content));
  return call(client, 'POST', `${root}/${id}/confirm`, Attachment, { token });
}
