/** Documents that the tour hands in. */
import PDFDocument from 'pdfkit';

/** One page with a few words. */
export async function page(words: string): Promise<Buffer> {
  const document = new PDFDocument({ size: 'A6' });
  document.text(words);
  document.end();
  const parts: Buffer[] = [];
  for await (const part of document) parts.push(Buffer.from(part as Uint8Array));
  return Buffer.concat(parts);
}
