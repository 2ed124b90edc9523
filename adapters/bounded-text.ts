/** Answers of others, of which no more is read than there can sensibly be. */

/** The body of an answer as text. Throws once it is longer than so many bytes. */
export async function textWithin(mostBytes: number, { body, url }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const stream: AsyncIterable<Uint8Array> | null = body;
  for await (const chunk of stream ?? []) {
    bytes += chunk.length;
    if (bytes > mostBytes)
      throw new Error(`${new URL(url).host} answers more than ${String(mostBytes)} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
