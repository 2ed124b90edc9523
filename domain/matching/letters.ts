/** Any script in Latin letters: the spellings that a word may have on a passport or a list. */
import anyAscii from 'any-ascii';

export type Script = 'latin' | 'cyrillic' | 'greek' | 'arabic' | 'hebrew' | 'han' | 'hangul' | 'other';

const SCRIPTS: readonly (readonly [Script, RegExp])[] = [
  ['han', /\p{Script=Han}/u],
  ['hangul', /\p{Script=Hangul}/u],
  ['arabic', /\p{Script=Arabic}/u],
  ['hebrew', /\p{Script=Hebrew}/u],
  ['cyrillic', /\p{Script=Cyrillic}/u],
  ['greek', /\p{Script=Greek}/u],
  ['latin', /\p{Script=Latin}/u],
];

/** Letters that look like Latin ones (Unicode TR 39), Cyrillic and Greek. */
const LOOK_ALIKE = new Map(
  [
    ...'аaеeоoрpсcуyхxіiјjѕsһhԁdԛqԝwкkмmтtвbнhАAВBЕEКKМMНHОOРPСCТTУYХXІIЈJЅS'.matchAll(/(.)(.)/gu),
    ...'αaοoρpνvιiκkτtυuχxΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX'.matchAll(/(.)(.)/gu),
  ].map(([, from = '', to = '']) => [from, to] as const),
);

/** Letters that any-ascii writes in a way that lists do not. */
const CYRILLIC = new Map(
  Object.entries({
    х: 'kh', ж: 'zh', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'shch', ю: 'yu', я: 'ya', ё: 'yo', й: 'y', ы: 'y', э: 'e', ъ: '', ь: '',
    і: 'i', ї: 'yi', є: 'ye', ґ: 'g', ј: 'j', љ: 'lj', њ: 'nj', ћ: 'c', ђ: 'dj', џ: 'dz', ў: 'u',
  }),
); // prettier-ignore
const GREEK: readonly (readonly [RegExp, string])[] = [
  [/^μπ/g, 'b'],
  [/ου/g, 'ou'],
  [/αυ/g, 'av'],
  [/ευ/g, 'ev'],
  [/γ([γκχ])/g, 'n$1'],
  [/χ/g, 'ch'],
  [/ψ/g, 'ps'],
  [/ξ/g, 'x'],
  [/υ/g, 'y'],
];
/** Latin letters that have two usual spellings without their mark. */
const TWO_SPELLINGS: readonly (readonly [RegExp, string, string])[] = [
  [/ö/g, 'oe', 'o'],
  [/ø/g, 'oe', 'o'],
  [/ä/g, 'ae', 'a'],
  [/æ/g, 'ae', 'a'],
  [/ü/g, 'ue', 'u'],
  [/å/g, 'aa', 'a'],
  [/đ/g, 'dj', 'd'],
  [/ð/g, 'd', 'th'],
  [/þ/g, 'th', 't'],
  [/š/g, 'sh', 's'],
  [/ş/g, 'sh', 's'],
  [/ș/g, 'sh', 's'],
  [/č/g, 'ch', 'c'],
  [/ç/g, 'ch', 'c'],
  [/ć/g, 'ch', 'c'],
  [/ž/g, 'zh', 'z'],
];

/** The script of most letters of a word. */
export function scriptOf(word: string): Script {
  let best: Script = 'other';
  let most = 0;
  for (const [script, pattern] of SCRIPTS) {
    const count = [...word].filter((letter) => pattern.test(letter)).length;
    if (count > most) [best, most] = [script, count];
  }
  return best;
}

/** A word whose letters come from two alphabets, as one that looks the same in Latin letters; others as they are. */
export function withoutLookAlikes(word: string): string {
  const latin = /\p{Script=Latin}/u.test(word);
  const mixed = latin && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word);
  const letters = mixed ? [...word].map((letter) => LOOK_ALIKE.get(letter) ?? letter).join('') : word;
  return latin ? withoutDigitsInWords(letters) : letters;
}

/** "AIi" with a capital i for an l, "lvan" with an l for an I, "0sama" with a zero. */
function withoutDigitsInWords(word: string): string {
  let found = word;
  if (/^[A-Za-z]*[0-9][A-Za-z]{2,}/.test(word) && !/\d\d|^\d+(st|nd|rd|th)$/.test(word))
    found = found.replace(/0/g, 'o').replace(/1/g, 'i').replace(/5/g, 's').replace(/3/g, 'e');
  if (
    /^\p{Lu}?I?\p{Ll}*I\p{Ll}+/u.test(found) &&
    /\p{Ll}/u.test(found) &&
    /.I/.test(found) &&
    !/\p{Lu}{3}/u.test(found)
  )
    found = found.replace(/(?<=.)I/g, 'l');
  return found.replace(/^l(?=[bcdfghjkmnpqrstvwxz])/, 'i');
}

/** The spellings of one word in lower-case Latin letters, the most usual one first. */
export function latinOf(word: string, script: Script): readonly string[] {
  const lower = word.normalize('NFKC').toLowerCase();
  if (script === 'cyrillic') return cyrillic(lower);
  if (script === 'greek')
    return [plain(GREEK.reduce((text, [from, to]) => text.replace(from, to), bare(lower)))];
  if (script === 'latin') return latin(lower);
  const read = plain(lower);
  // long vowels of Japanese are seldom written
  return KANA.test(word) ? [...new Set([read.replace(/ou|oo/g, 'o').replace(/uu/g, 'u'), read])] : [read];
}

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;

function cyrillic(word: string): readonly string[] {
  const usual = plain([...word.normalize('NFC')].map((letter) => CYRILLIC.get(letter) ?? letter).join(''));
  const others = [
    word.includes('ё') ? usual.replaceAll('yo', 'e') : usual,
    /^е/.test(word) ? `y${usual}` : usual,
    word.includes('г')
      ? plain([...word].map((l) => (l === 'г' ? 'h' : (CYRILLIC.get(l) ?? l))).join(''))
      : usual,
  ];
  return [...new Set([usual, ...others])];
}

function latin(word: string): readonly string[] {
  const composed = word.normalize('NFC').replaceAll('ß', 'ss').replaceAll('ẞ', 'ss').replaceAll('ı', 'i');
  let long = composed;
  let short = composed;
  for (const [letter, first, second] of TWO_SPELLINGS) {
    long = long.replace(letter, first);
    short = short.replace(letter, second);
  }
  return [...new Set([plain(short), plain(long)])];
}

/** Without marks; only letters and digits. */
function plain(text: string): string {
  return anyAscii(bare(text))
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}

function bare(text: string): string {
  return text
    .normalize('NFD')
    .replace(/(?![\u3099\u309a])\p{M}/gu, '')
    .normalize('NFC');
}
