/** Reads the machine-readable zone of passports (TD3) and cards (TD1, TD2), as ICAO 9303 parts 3 to 6 define them. */
import { parse, type Details, type FieldName, type ParseResult, type Range } from 'mrz';
import { zoneNames, type ZoneNames } from './mrz-names.ts';

/** Lines and characters a line: TD1, TD2, TD3. The former French identity card has the size of TD2 and fields of its own. */
const SIZES: ReadonlySet<string> = new Set(['3x30', '2x36', '2x44']);

/** The country of specimens, which is not among the states of `mrz`. */
const UTOPIA = 'UTO';

export interface Zone {
  /** All check digits are right, and each field holds what it may hold. Whether dates exist is not known here. */
  readonly isValid: boolean;
  /** "P", "I", "AR", … */
  readonly code: string;
  readonly issuer: string;
  /** Without the check digit. A long number of TD1 or TD2 is whole. */
  readonly number: string;
  readonly numberCheckDigit: string;
  readonly names: ZoneNames;
  /** yymmdd, with fillers for what is unknown. */
  readonly birth: string;
  /** Null if the document has no such field. */
  readonly expiry: string | null;
  readonly nationality: string | null;
}

/** Null if the lines are no zone. Blanks and small letters are forgiven, because people type it. */
export function readZone(typed: readonly string[]): Zone | null {
  const lines = typed.map((line) =>
    line.replace(/\s+/g, '').replace(/[a-z]/g, (letter) => letter.toUpperCase()),
  );
  const [first = ''] = lines;
  const isZone = lines.every((line) => line.length === first.length && /^[A-Z0-9<]+$/.test(line));
  // with any other size `mrz` throws
  if (!isZone || !SIZES.has(`${String(lines.length)}x${String(first.length)}`)) return null;
  const result = parse(lines);
  const names = nameFieldOf(result, lines);
  const text = (field: FieldName): string | null => textOf(result, lines, field);
  const hasNumber = isNumberWhole(result, lines);
  return {
    isValid: hasNumber && NAMES.test(names) && result.details.every((detail) => isRight(detail, lines)),
    code: withoutFillers(text('documentCode') ?? ''),
    issuer: withoutFillers(text('issuingState') ?? ''),
    number: withoutFillers((hasNumber ? result.documentNumber : null) ?? text('documentNumber') ?? ''),
    numberCheckDigit: result.fields.documentNumberCheckDigit ?? '',
    names: zoneNames(names),
    birth: text('birthDate') ?? '',
    expiry: text('expirationDate'),
    nationality: text('nationality')?.replaceAll('<', '') ?? null,
  };
}

const at = (lines: readonly string[], { line, start, end }: Range): string =>
  lines[line]?.slice(start, end) ?? '';

const withoutFillers = (text: string): string => text.replaceAll('<', ' ').trim();

/** What is in the place of a field, also if it is wrong there; null if documents of this kind have no such field. */
function textOf({ details }: ParseResult, lines: readonly string[], field: FieldName): string | null {
  const place = details.find((detail) => detail.field === field)?.ranges[0];
  return place === undefined ? null : at(lines, place);
}

/** Family name, two fillers, given names. `mrz` reads given names into a field that has no room for them, so they are read here. */
function nameFieldOf({ format }: ParseResult, lines: readonly string[]): string {
  const [first = '', second = '', third = ''] = lines;
  if (format === 'TD1') return third;
  if (format === 'FRENCH_NATIONAL_ID') return `${first.slice(5, 30)}<<${second.slice(13, 27)}`;
  return first.slice(5);
}

const NAMES = /^[A-Z][A-Z<]*$/;

/** Names are looked at here, with `NAMES`. */
function isRight({ field, valid, ranges: [place] }: Details, lines: readonly string[]): boolean {
  if (valid || field === 'firstName' || field === 'lastName') return true;
  const isState = field === 'issuingState' || field === 'nationality';
  return isState && place !== undefined && at(lines, place) === UTOPIA;
}

/**
 * A number of more than nine characters has a filler for a check digit. It goes on in the optional data, where its check digit and a
 * filler follow it (ICAO 9303 part 5). `mrz` counts characters from the wrong end if that filler is missing.
 */
function isNumberWhole({ details }: ParseResult, lines: readonly string[]): boolean {
  const [, digit, optional] = details.find(({ field }) => field === 'documentNumber')?.ranges ?? [];
  if (digit === undefined || optional === undefined || at(lines, digit) !== '<') return true;
  return /^[A-Z0-9]*\d</.test(at(lines, optional));
}
