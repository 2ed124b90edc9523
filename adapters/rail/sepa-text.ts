/**
 * Text as every bank of SEPA takes it: the Latin character set of the EPC's implementation guidelines (EPC132-08, 1.4), which is
 * also SWIFT's set X. Other scripts are transliterated rather than refused: the payee shall read something.
 */
import anyAscii from 'any-ascii';

/** Common signs that would otherwise become nothing. */
const SIGNS: Readonly<Record<string, string>> = {
  '&': '+',
  '@': '(at)',
  '#': 'No.',
  '%': ' pct',
  '"': "'",
  '`': "'",
  _: '-',
  ';': ',',
  '[': '(',
  ']': ')',
  '{': '(',
  '}': ')',
  '<': '(',
  '>': ')',
  '=': ':',
  '*': '.',
  '|': '/',
  '\\': '/',
  '~': '-',
};

/** Writes any text in the set, at most `longest` characters; what cannot be written is left out. May come out empty. */
export function sepaText(text: string, longest: number): string {
  return anyAscii(text.normalize('NFC').toWellFormed())
    .replace(/[^A-Za-z0-9/\-?:().,'+ ]/g, (sign) => SIGNS[sign] ?? ' ')
    .replace(/ +/g, ' ')
    .trim()
    .slice(0, longest)
    .trimEnd();
}
