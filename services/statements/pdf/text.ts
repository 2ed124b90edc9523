/** Text that a printed page can show, and where it is broken into lines. */
import anyAscii from 'any-ascii';

/** For a sign that has no Latin letters either. */
const PLACEHOLDER = '□';

/** Text in which everything can be shown; `marked` where something had to be written in other letters, between ‹ and ›. */
export interface Legible {
  readonly text: string;
  readonly marked: boolean;
}

/** Writes what `shows` does not show in Latin letters, and marks it: nothing is left out without a sign. */
export function legible(text: string, shows: (character: string) => boolean): Legible {
  if (/^[\x20-\x7e]*$/.test(text)) return { text, marked: false };
  const plain = text
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\p{Cf}/gu, '');
  let [out, foreign, marked] = ['', '', false];
  const settle = (): void => {
    if (foreign === '') return;
    out += inLatin(foreign);
    foreign = '';
    marked = true;
  };
  for (const character of plain) {
    if (!shows(character)) foreign += character;
    else {
      settle();
      out += character;
    }
  }
  settle();
  return { text: out, marked };
}

function inLatin(foreign: string): string {
  const latin = anyAscii(foreign)
    .replace(/[^\x20-\x7e]/g, '')
    .trim();
  return latin === '' ? PLACEHOLDER : `‹${latin}›`;
}

/** Lines that all fit; broken between words, within one only where it alone does not fit. */
export function brokenLines(text: string, fits: (part: string) => boolean): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').filter(Boolean)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (fits(longer)) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = '';
    for (const character of word) {
      if (line !== '' && !fits(line + character)) {
        lines.push(line);
        line = '';
      }
      line += character;
    }
  }
  return line === '' ? lines : [...lines, line];
}
