/**
 * The typeface of printed statements, glyph by glyph. PDFKit lays out every string anew (or remembers each for ever), which takes
 * forty times as long and memory without end; Latin, Greek and Cyrillic need no layout.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

export type Weight = 'regular' | 'bold';

/** Text as the page holds it: glyph numbers in hexadecimal, and its width at size 1. */
export interface Measured {
  readonly hex: string;
  readonly width: number;
}

export interface Typeface {
  /** False for a character of another script, or that the font does not have. */
  shows(character: string): boolean;
  measure(text: string, weight: Weight): Measured;
  /** The name of the font on this page. */
  use(weight: Weight): string;
  /** Begins a page, where the fonts are known by name. */
  page(): void;
}

/** What PDFKit's types leave out of it; its version is pinned. */
interface Face {
  readonly id: string;
  ref(): object;
  encode(text: string): [string[], { readonly advanceWidth: number }[]];
}
interface Inside {
  readonly _font: Face;
  readonly page: {
    readonly fonts: Record<string, object>;
    readonly dictionary: { data: object };
  } | null;
}

const require = createRequire(import.meta.url);
const FONTS: Readonly<Record<Weight, string>> = {
  regular: '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf',
  bold: '@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf',
};
const files = new Map<Weight, Buffer>();
const SCRIPTS =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}]$/u;
/** The number of the glyph that stands for none. */
const NO_GLYPH = '0000';

export function openTypeface(document: PDFKit.PDFDocument): Typeface {
  const inside = document as unknown as Inside;
  const open = (weight: Weight): Face => {
    document.registerFont(weight, fileOf(weight)).font(weight);
    return inside._font;
  };
  const faces: Readonly<Record<Weight, Face>> = { regular: open('regular'), bold: open('bold') };
  const glyphs = { regular: new Map<string, Measured>(), bold: new Map<string, Measured>() };

  const glyphOf = (weight: Weight, character: string): Measured => {
    const known = glyphs[weight].get(character);
    if (known !== undefined) return known;
    const [codes, positions] = faces[weight].encode(character);
    const width = positions.reduce((sum, { advanceWidth }) => sum + advanceWidth, 0) / 1_000;
    const glyph = { hex: codes.join(''), width };
    glyphs[weight].set(character, glyph);
    return glyph;
  };

  return {
    shows: (character) => SCRIPTS.test(character) && glyphOf('regular', character).hex !== NO_GLYPH,
    measure(text, weight) {
      let [hex, width] = ['', 0];
      for (const character of text) {
        const glyph = glyphOf(weight, character);
        hex += glyph.hex;
        width += glyph.width;
      }
      return { hex, width };
    },
    use: (weight) => faces[weight].id,
    page() {
      const last = inside.page;
      document.addPage();
      for (const face of Object.values(faces))
        if (inside.page !== null) inside.page.fonts[face.id] = face.ref();
      // the page before is written: PDFKit needs its number only, and a long document has very many
      if (last !== null) last.dictionary.data = {};
    },
  };
}

/** Read once a process. */
function fileOf(weight: Weight): Buffer {
  const file = files.get(weight) ?? readFileSync(require.resolve(FONTS[weight]));
  files.set(weight, file);
  return file;
}
