/** A name, split into words and prepared for comparison. */
import anyAscii from 'any-ascii';
import { plainArabic } from './consonants.ts';
import { asChinese, asKorean, looksLikeWade, roughChinese, roughKorean, type Reading } from './syllables.ts';
import { chineseFamilies, japaneseReading, koreanFamilies, simplify } from './tables/east-asian.ts';
import { withoutForms, withoutTitles, wordOf, type NameKind, type Word } from './words.ts';

export interface Name {
  readonly text: string;
  readonly kind: NameKind;
  readonly words: readonly Word[];
  /** Chinese characters, simplified; null for a name in other letters. */
  readonly han: string | null;
  readonly wade: boolean;
  readonly chinese: readonly Reading[];
  readonly korean: readonly Reading[];
}

/** The name as it is compared. */
export function nameOf(kind: NameKind, text: string): Name {
  const clean = text.normalize('NFKC').trim();
  if (kind === 'person' && /^[\p{Script=Han}·\s]+$/u.test(clean))
    return inHan(text, clean.replace(/[·\s]/g, ''));
  if (kind === 'person' && /^[\p{Script=Hangul}\s]+$/u.test(clean))
    return inHangul(text, clean.replace(/\s/g, ''));
  const texts = kind === 'person' ? personTexts(clean) : companyTexts(clean);
  const words = texts.map((part) => wordOf(kind, part));
  const latin = words.map((word) => word.forms[0] ?? '');
  const plain = kind === 'person' && words.every((word) => word.script === 'latin');
  const wade = plain && looksLikeWade(clean);
  return {
    text,
    kind,
    words,
    han: null,
    wade,
    chinese: plain ? [...asChinese(latin, false), ...(wade ? asChinese(latin, true) : [])] : [],
    korean: plain ? asKorean(latin) : [],
  };
}

function inHan(text: string, han: string): Name {
  const japanese = japaneseReading(han);
  const syllables = syllablesOf(han);
  const two = syllables.slice(0, 2).join('');
  const family = syllables.length > 2 && chineseFamilies(two).includes(two) ? 2 : 1;
  const parts = [syllables.slice(0, family).join(''), syllables.slice(family).join('')];
  const words = (japanese ?? parts).filter((part) => part !== '').map((part) => wordOf('person', part));
  const [first = '', given = ''] = parts;
  return {
    text,
    kind: 'person',
    words,
    han: simplify(han),
    wade: false,
    chinese: japanese === null ? [{ families: [first], given, rough: roughChinese(given) }] : [],
    korean: [],
  };
}

function inHangul(text: string, hangul: string): Name {
  const [family = '', ...rest] = syllablesOf(hangul);
  const given = rest.join('');
  const families = koreanFamilies(family);
  return {
    text,
    kind: 'person',
    words: [family, given].filter((part) => part !== '').map((part) => wordOf('person', part)),
    han: null,
    wade: false,
    chinese: [],
    korean: [{ families: families.length > 0 ? families : [family], given, rough: roughKorean(given) }],
  };
}

function syllablesOf(text: string): readonly string[] {
  return [...text].map((character) => anyAscii(character).toLowerCase());
}

/** The words of a name as it is written. An apostrophe does not part words, a hyphen does. */
export function partsOf(text: string): readonly string[] {
  return text
    .replace(/[’ʼʻ‘`´ʿʾ'"“”״׳]/g, '')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((part) => part !== '');
}

function personTexts(text: string): readonly string[] {
  return withoutTitles(partsOf(text)).flatMap((part) => servant(part));
}

/** "Abdulrahman" is "Abd al-Rahman"; Arabic words come without their article. */
function servant(part: string): readonly string[] {
  if (/\p{Script=Arabic}/u.test(part)) {
    const word = plainArabic(part);
    const bound = /^عبد(?:ال)?(.{3,})$/.exec(word);
    if (bound?.[1] !== undefined && bound[1] !== 'الله' && word !== 'عبدالله') return ['عبد', bound[1]];
    return [word.replace(/^ال(?=.{3,})/, '')];
  }
  // "Nasr al-Din" is also "Nasreddine" and "Nasser Eddine"
  if (/^(?:[aeu][dl])d(?:i|ie|ee)ne?$/i.test(part)) return ['din'];
  const bound = /^abd[aeou]?(?:[lrs](?![laeiou]?ah?$))(.{3,})$/i.exec(part);
  if (bound?.[1] !== undefined && !/^abd[aeu]l+ah?$/i.test(part)) return ['abd', bound[1]];
  return [part];
}

/** Forms of law of China, Japan and Korea, which are written without a blank. */
const EASTERN_FORMS = /(?:股份)?有限(?:责任|責任)?公司|株式会社|주식회사/g;

function companyTexts(text: string): readonly string[] {
  const parts: string[] = [];
  let letters = '';
  for (const part of [...partsOf(text.replace(EASTERN_FORMS, ' ').replace(/&/g, ' and ')), '']) {
    if (part.length === 1 && /\p{L}/u.test(part)) {
      letters += part;
      continue;
    }
    if (letters !== '') parts.push(letters);
    letters = '';
    if (part !== '') parts.push(part);
  }
  return withoutForms(parts);
}
