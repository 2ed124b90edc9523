/** PDFs made object by object, so that they can hold what no program would write. */
import { deflateSync } from 'node:zlib';

/** What a PDF holds besides its pages. Objects of its own begin with number 100. */
interface Extras {
  readonly pages?: number;
  /** Entries of the catalog, of each page, and of the trailer. */
  readonly catalog?: string;
  readonly page?: string;
  readonly trailer?: string;
  /** More objects, each with its number: `100 0 obj … endobj`. */
  readonly objects?: readonly (string | Buffer)[];
}

/** A PDF with so many empty pages, one unless it is said. Of two objects with the same number the later one counts. */
export function pdf({ pages = 1, catalog = '', page = '', trailer = '', objects = [] }: Extras = {}): Buffer {
  const numbers = Array.from({ length: pages }, (_, index) => 10 + index);
  const kids = numbers.map((number) => `${String(number)} 0 R`).join(' ');
  const parts = [
    '%PDF-1.7\n',
    `1 0 obj <</Type/Catalog/Pages 2 0 R ${catalog}>> endobj\n`,
    `2 0 obj <</Type/Pages/Kids[${kids}]/Count ${String(pages)}>> endobj\n`,
    ...numbers.map(
      (number) =>
        `${String(number)} 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842] ${page}>> endobj\n`,
    ),
    ...objects,
  ].map((part) => Buffer.from(part));
  const table = tableOf(parts);
  const start = parts.reduce((sum, { length }) => sum + length, 0);
  const end = `trailer <</Root 1 0 R/Size 1000 ${trailer}>>\nstartxref\n${String(start)}\n%%EOF\n`;
  return Buffer.concat([...parts, Buffer.from(table), Buffer.from(end)]);
}

/** Where each object begins (ISO 32000-1 §7.5.4). */
function tableOf(parts: readonly Buffer[]): string {
  const offsets = new Map<string, number>();
  let offset = 0;
  for (const part of parts) {
    const number = /^\d+(?= 0 obj)/.exec(part.toString('latin1', 0, 20))?.[0];
    if (number !== undefined) offsets.set(number, offset);
    offset += part.length;
  }
  const entries = [...offsets].map(
    ([number, at]) => `${number} 1\n${String(at).padStart(10, '0')} 00000 n \n`,
  );
  return `xref\n0 1\n0000000000 65535 f \n${entries.join('')}`;
}

/** Stream number 100, with entries that say what it is. */
export function stream(entries: string, content: Buffer): Buffer {
  const head = `100 0 obj <<${entries}/Length ${String(content.length)}>> stream\n`;
  return Buffer.concat([Buffer.from(head), content, Buffer.from('\nendstream endobj\n')]);
}

/** An object stream with one object, number 101, packed by `pack`; `entries` say how. */
export function objectStream(
  object: string,
  entries = '/Filter/FlateDecode',
  pack: (content: Buffer) => Buffer = deflateSync,
): Buffer {
  const head = '101 0 ';
  const content = pack(Buffer.from(`${head}${object}`));
  return stream(`/Type/ObjStm/N 1/First ${String(head.length)}${entries}`, content);
}
