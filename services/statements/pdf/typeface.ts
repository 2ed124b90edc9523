/**
 * The typeface of printed statements, glyph by glyph. PDFKit lays out every string by the font's rules, which takes a sixth of a
 * second to begin with and then forty times as long; Latin, Greek and Cyrillic need no layout.
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

/** What PDFKit's types leave out of it; its version is pinned, and the tests read what comes out. */
interface Face {
  readonly id: string;
  readonly font: { glyphForCodePoint(code: number): Glyph };
  /** The glyphs that the document needs: each gets a number of its own in it. */
  readonly subset: { includeGlyph(id: number): number };
  /** By that number: in thousandths of the size, and for who copies the text. */
  readonly widths: number[];
  readonly unicode: (readonly number[])[];
  /** From the font's units to thousandths. */
  readonly scale: number;
  ref(): object;
}
interface Glyph {
  /** 0 is the glyph that stands for none. */
  readonly id: number;
  readonly advanceWidth: number;
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
export function openTypeface(document: PDFKit.PDFDocument): Typeface {
  const inside = document as unknown as Inside;
  const open = (weight: Weight): Face => {
    document.registerFont(weight, fileOf(weight)).font(weight);
    return inside._font;
  };
  const faces: Readonly<Record<Weight, Face>> = { regular: open('regular'), bold: open('bold') };
  const glyphs = { regular: new Map<string, Measured>(), bold: new Map<string, Measured>() };

  const glyphOf = (weight: Weight, character: string): Measured => {
    const drawn = glyphs[weight].get(character);
    if (drawn !== undefined) return drawn;
    const glyph = draw(faces[weight], character);
    glyphs[weight].set(character, glyph);
    return glyph;
  };

  return {
    shows: (character) => SCRIPTS.test(character) && codeOf(faces.regular, character).id !== 0,
    measure(text, weight) {
      const hex: string[] = [];
      let width = 0;
      for (const character of text) {
        const glyph = glyphOf(weight, character);
        hex.push(glyph.hex);
        width += glyph.width;
      }
      return { hex: hex.join(''), width };
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

function codeOf({ font }: Face, character: string): Glyph {
  return font.glyphForCodePoint(character.codePointAt(0) ?? 0);
}

/** Puts the character's glyph into the document. */
function draw(face: Face, character: string): Measured {
  const glyph = codeOf(face, character);
  const code = face.subset.includeGlyph(glyph.id);
  const width = glyph.advanceWidth * face.scale;
  face.widths[code] ??= width;
  face.unicode[code] ??= [character.codePointAt(0) ?? 0];
  return { hex: code.toString(16).padStart(4, '0'), width: width / 1_000 };
}

/** Read once a process. */
function fileOf(weight: Weight): Buffer {
  const file = files.get(weight) ?? readFileSync(require.resolve(FONTS[weight]));
  files.set(weight, file);
  return file;
}
