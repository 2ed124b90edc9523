/**
 * How a name is written in the machine-readable zone of a passport, which has A to Z only. Letters may be written in several ways, by
 * ICAO 9303 part 3 section 6 or by the habit of the country, so a name is followed through the zone letter by letter.
 */
import { latinOf, scriptOf } from './letters.ts';

/** For each letter of a word, in turn, all that may stand for it, in small letters; an empty text means that nothing does. */
export type Spellings = readonly (readonly string[])[];

/**
 * What ICAO 9303 part 3 section 6 B has for Cyrillic letters besides the spellings of lists: Russian, then the exceptions for Belarusian,
 * Ukrainian, Serbian, Macedonian and Bulgarian. Bulgarian law writes ъ as A.
 */
const CYRILLIC_ALSO = new Map(
  Object.entries({
    й: ['i'], ю: ['iu'], я: ['ia'], ъ: ['ie', 'a'],
    ё: ['io'], и: ['y'], є: ['ie'], ї: ['i'],
    ж: ['z'], х: ['h'], ц: ['c'], ч: ['c'], ш: ['s'], ђ: ['d'],
    ѓ: ['gj'], ќ: ['kj'], џ: ['dj'],
    щ: ['sht'], ѫ: ['u'],
  }),
); // prettier-ignore

/** Section 6 A allows UXX and NXX, and has N for ŋ. */
const LATIN_ALSO = new Map(Object.entries({ ü: ['uxx'], ñ: ['nxx'], ŋ: ['n'] }));

/** Greek is not in ICAO 9303; Greek passports follow ISO 843 (ELOT 743), in which two letters may make one sound. */
const GREEK_ALSO = new Map(
  Object.entries({
    αυ: ['af'], ευ: ['ef'], ηυ: ['iv', 'if'], μπ: ['mp', 'b'], γκ: ['gk'], γξ: ['nx'],
  }),
); // prettier-ignore
const GREEK_UNITS = /αυ|ευ|ηυ|ου|μπ|ντ|γγ|γκ|γξ|γχ|./gsu;

const OTHER_LETTER = /(?=\p{L})[^\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Common}]/u;

/** Null for a word with letters of a script that has no table here, such as Arabic or Chinese. */
export function zoneSpellings(word: string): Spellings | null {
  const lower = word.normalize('NFKC').toLowerCase();
  if (scriptOf(lower) === 'greek') return greek(lower);
  const spellings: (readonly string[])[] = [];
  for (const letter of lower.normalize('NFC')) {
    const script = scriptOf(letter);
    if (OTHER_LETTER.test(letter)) return null;
    const also = LATIN_ALSO.get(letter) ?? CYRILLIC_ALSO.get(letter) ?? [];
    spellings.push([...new Set([...latinOf(letter, script), ...also])]);
  }
  return spellings;
}

function greek(word: string): Spellings {
  // an accent does not part two letters that make one sound, but a diaeresis does
  const unaccented = word.normalize('NFD').replaceAll('\u0301', '').normalize('NFC');
  return (unaccented.match(GREEK_UNITS) ?? []).map((unit) => [
    ...new Set([...latinOf(unit, 'greek'), ...(GREEK_ALSO.get(unit) ?? [])]),
  ]);
}

/** How a name and the text of a zone meet: the name is all of the text, the text breaks off within the name, or they differ. */
export type ZoneMatch = 'whole' | 'broken_off' | 'different';

/** `text` is in small letters, without fillers. */
export function followThrough(spellings: Spellings, text: string): ZoneMatch {
  let places = new Set([0]);
  let brokenOff = false;
  for (const letter of spellings) {
    const next = new Set<number>();
    for (const place of places)
      for (const spelling of letter) {
        if (text.startsWith(spelling, place)) next.add(place + spelling.length);
        else if (spelling.startsWith(text.slice(place))) brokenOff = true;
      }
    places = next;
  }
  if (places.has(text.length)) return 'whole';
  return brokenOff ? 'broken_off' : 'different';
}
