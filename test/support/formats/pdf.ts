/** What a reader sees of a PDF that PDFKit wrote: its text, taken from the pages by way of the fonts' own tables. */
import { inflateSync } from 'node:zlib';

export interface PdfContent {
  readonly pages: number;
  /** The strings in the order they were written, one a line. */
  readonly text: string;
}

export function readPdf(bytes: Buffer): PdfContent {
  const source = bytes.toString('latin1');
  if (!source.startsWith('%PDF-1.7') || !source.trimEnd().endsWith('%%EOF')) throw new Error('no whole PDF');
  const objects = new Map(
    [...source.matchAll(/(\d+) 0 obj\n([^]*?)\nendobj/g)].map(([, id, body]) => [id, body ?? '']),
  );
  const fonts = fontsOf(objects);
  const lines: string[] = [];
  for (const body of objects.values()) {
    const content = streamOf(body);
    for (const [, name = '', hex = ''] of content?.matchAll(/BT .*?\/(F\d+) .*?<([0-9a-f]+)> Tj ET/g) ?? []) {
      const table = fonts.get(name);
      lines.push((hex.match(/.{4}/g) ?? []).map((code) => table?.[parseInt(code, 16)] ?? '?').join(''));
    }
  }
  return { pages: [...source.matchAll(/\/Type \/Page\n/g)].length, text: lines.join('\n') };
}

/** The characters of each font by glyph number. */
function fontsOf(objects: ReadonlyMap<string | undefined, string>): Map<string, string[]> {
  const fonts = new Map<string, string[]>();
  const [names] = [...objects.values()].flatMap((body) => /\/Font <<([^]*?)>>/.exec(body)?.[1] ?? []);
  for (const [, name = '', id] of names?.matchAll(/\/(F\d+) (\d+) 0 R/g) ?? []) {
    const table = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id) ?? '')?.[1];
    const map = streamOf(objects.get(table) ?? '') ?? '';
    const ranges = [...map.matchAll(/<[0-9a-f]{4}> <[0-9a-f]{4}> \[([^\]]*)\]/g)].flatMap(
      ([, list = '']) => list.match(/<[^>]*>/g) ?? [],
    );
    fonts.set(
      name,
      ranges.map((code) => Buffer.from(code.replace(/[<> ]/g, ''), 'hex').swap16().toString('utf16le')),
    );
  }
  return fonts;
}

function streamOf(body: string): string | undefined {
  const [, data] = /stream\n([^]*)\nendstream/.exec(body) ?? [];
  if (data === undefined) return undefined;
  const bytes = Buffer.from(data, 'latin1');
  try {
    return inflateSync(bytes).toString('latin1');
  } catch {
    return undefined;
  }
}
