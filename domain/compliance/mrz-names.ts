/** Names of a machine-readable zone against names as people write them. */
import { align } from '../matching/alignment.ts';
import { nameOf, partsOf } from '../matching/names.ts';
import { followThrough, zoneSpellings } from '../matching/zone-letters.ts';

/** From this score on names in other scripts, which have no one spelling in Latin letters, count as the same name. */
const SAME_NAME = 0.9;

/** Names as they are in the zone, word by word. */
export interface ZoneNames {
  readonly last: readonly string[];
  readonly given: readonly string[];
  /** The field is full, so that words may be shortened or left out (ICAO 9303 part 4). */
  readonly isCutOff: boolean;
}

/** "ERIKSSON<<ANNA<MARIA<<<<". */
export function zoneNames(field: string): ZoneNames {
  const [last = '', ...given] = field.split('<<');
  return { last: wordsOf(last), given: wordsOf(given.join('<')), isCutOff: !field.endsWith('<') };
}

function wordsOf(text: string): readonly string[] {
  return text.split('<').filter((word) => word !== '');
}

/** Words of the zone are the name that a person has written. Blanks, hyphens and apostrophes do not count. */
export function isSameName(words: readonly string[], written: string, isCutOff: boolean): boolean {
  const parts = partsOf(written.normalize('NFKC'));
  if (words.length === 0 || parts.length === 0) return words.length === parts.length;
  const spelled = parts.map(zoneSpellings);
  if (spelled.some((spellings) => spellings === null))
    return align(nameOf('person', written), nameOf('person', words.join(' '))).score >= SAME_NAME;
  const texts = words.map((word) => word.toLowerCase());
  const match = followThrough(
    spelled.flatMap((spellings) => spellings ?? []),
    texts.join(''),
  );
  if (match === 'whole' || !isCutOff) return match === 'whole';
  const isShortened = texts.every((text, at) => followThrough(spelled[at] ?? [], text) !== 'different');
  return match === 'broken_off' || isShortened;
}

/** Given names of the zone, split into those that the form has as first names and the rest. */
export interface GivenNames {
  readonly first: readonly string[];
  readonly isSame: boolean;
  readonly rest: readonly string[];
}

/** A first name may be several words, in the form, in the zone or in both. */
export function splitGiven({ given, isCutOff }: ZoneNames, firstName: string): GivenNames {
  for (let count = given.length; count > 0; count -= 1) {
    const first = given.slice(0, count);
    if (isSameName(first, firstName, isCutOff)) return { first, isSame: true, rest: given.slice(count) };
  }
  const count = Math.max(partsOf(firstName).length, 1);
  const isSame = given.length === 0 && isSameName(given, firstName, isCutOff);
  return { first: given.slice(0, count), isSame, rest: given.slice(count) };
}
