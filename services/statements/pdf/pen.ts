/** Writes text, rules and areas on the pages of a PDF. Lengths in points, from the upper left corner. */
import PDFDocument from 'pdfkit';
import { brokenLines, legible } from './text.ts';
import { openTypeface, type Weight } from './typeface.ts';

/** `y` is the base line. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly weight?: Weight;
  /** From black, 0, to white, 1. */
  readonly grey?: number;
  /** `x` is where the text ends. */
  readonly right?: boolean;
  /** Text that is wider than this is made smaller. */
  readonly most?: number;
}

export interface Pen {
  page(): void;
  write(text: string, place: Place): void;
  /** Lines of this size no wider than this. */
  broken(text: string, size: number, width: number): string[];
  rule(from: number, to: number, y: number, grey: number): void;
  area(x: number, y: number, width: number, height: number, grey: number): void;
  /** True once something was written in other letters than its own. */
  transliterated(): boolean;
  /** What is written and not yet taken; null where that is nothing. */
  take(): Buffer | null;
  end(): void;
}

export function openPen(options: PDFKit.PDFDocumentOptions): Pen {
  const document = new PDFDocument({ ...options, autoFirstPage: false, fontLayoutCache: false, margin: 0 });
  const typeface = openTypeface(document);
  let transliterated = false;
  // a page goes to the document whole: each piece by itself would be a buffer of its own
  let content: string[] = [];
  const finishPage = (): void => {
    // the bytes of a page are ASCII; PDFKit's types know text only
    if (content.length > 0) document.addContent(Buffer.from(content.join('\n'), 'latin1'));
    content = [];
  };
  const shown = (text: string): string => {
    const { text: readable, marked } = legible(text, typeface.shows);
    transliterated ||= marked;
    return readable;
  };
  return {
    page() {
      finishPage();
      typeface.page();
    },
    write(text, { x, y, size, weight = 'regular', grey = 0, right = false, most = Infinity }) {
      const { hex, width } = typeface.measure(shown(text), weight);
      if (hex === '') return;
      const fit = Math.min(size, most / width);
      const start = (right ? x - width * fit : x).toFixed(2);
      const font = `/${typeface.use(weight)} ${fit.toFixed(2)} Tf`;
      content.push(`BT ${String(grey)} g ${font} 1 0 0 -1 ${start} ${y.toFixed(2)} Tm <${hex}> Tj ET`);
    },
    broken: (text, size, width) =>
      brokenLines(shown(text), (part) => typeface.measure(part, 'regular').width * size <= width),
    rule(from, to, y, grey) {
      content.push(
        `0.5 w ${String(grey)} G ${String(from)} ${y.toFixed(2)} m ${String(to)} ${y.toFixed(2)} l S`,
      );
    },
    area(x, y, width, height, grey) {
      content.push(
        `${String(grey)} g ${[x, y, width, height].map((side) => side.toFixed(2)).join(' ')} re f`,
      );
    },
    transliterated: () => transliterated,
    // the document is a stream that nobody has set flowing: what it holds is a buffer
    take: () => document.read() as Buffer | null,
    end: () => {
      finishPage();
      document.end();
    },
  };
}
