/** Arabic and Hebrew write consonants: their words are compared by them, and original spelling with original spelling. */

const ARABIC: Readonly<Record<string, string>> = {
  ب: 'b', پ: 'b', ت: 't', ث: 't', ج: 'g', چ: 'c', ح: 'h', خ: 'h', د: 'd', ذ: 'd', ر: 'r', ز: 'z', ژ: 'z', س: 's', ش: 'x',
  ص: 's', ض: 'd', ط: 't', ظ: 'z', غ: 'g', ف: 'f', ق: 'k', ك: 'k', ک: 'k', گ: 'g', ل: 'l', م: 'm', ن: 'n', ه: 'h', ڤ: 'f',
}; // prettier-ignore
const HEBREW: Readonly<Record<string, string>> = {
  ב: 'b', ג: 'g', ד: 'd', ה: 'h', ז: 's', ח: 'h', ט: 't', כ: 'k', ך: 'k', ל: 'l', מ: 'm', ם: 'm', נ: 'n', ן: 'n', ס: 's',
  פ: 'p', ף: 'p', צ: 'x', ץ: 'x', ק: 'k', ר: 'r', ש: 's', ת: 't',
}; // prettier-ignore

/** One spelling of an Arabic word: without points, with one form of alif, ya, ta marbuta and Persian letters. */
export function plainArabic(word: string): string {
  return word
    .normalize('NFKC')
    .replace(/[\p{M}\u0640]/gu, '')
    .replace(/[أإآٱ]/g, 'ا')
    .replace(/[ىی]/g, 'ي')
    .replace(/ئ/g, 'ي')
    .replace(/ؤ/g, 'و')
    .replace(/ة/g, 'ه')
    .replace(/ک/g, 'ك');
}

/** The consonants of a word written in Arabic or Hebrew letters, and the vowels that the spelling asks for. */
export interface Consonants {
  /** In each way in which they may be read. */
  readonly readings: readonly string[];
  readonly vowels: readonly RegExp[];
}

/** The consonants of a word in Arabic letters. */
export function consonantsOfArabic(word: string): Consonants {
  const text = plainArabic(word);
  const middle = text.slice(1, -1);
  const read = (as: Readonly<Record<string, string>>): string =>
    squeezed([...text].map((letter) => as[letter] ?? ARABIC[letter] ?? '').join(''));
  return {
    readings: [...new Set([read({}), read({ ض: 'z', ذ: 'z' })])],
    vowels: [...(middle.includes('و') ? [/[ouwv]/] : []), ...(middle.includes('ي') ? [/[ieyj]/] : [])],
  };
}

/** The consonants of a word in Hebrew letters. */
export function consonantsOfHebrew(word: string): Consonants {
  const read = (vav: string): string =>
    squeezed([...word].map((letter) => (letter === 'ו' ? vav : (HEBREW[letter] ?? ''))).join(''));
  return { readings: [...new Set([read(''), read('b')])], vowels: [] };
}

/** The consonants that a Latin word would be written with in Arabic letters; a hard g may stand for a qaf. */
export function asArabic(latin: string): readonly string[] {
  return [...new Set(['g', 'k'].map((hard) => arabicLetters(latin, hard)))];
}

function arabicLetters(latin: string, hard: string): string {
  const letters = latin
    .replace(/tch|ch/g, 'x')
    .replace(/sh/g, 'x')
    .replace(/kh/g, 'h')
    .replace(/gh/g, hard)
    .replace(/g/g, hard)
    .replace(/th/g, 't')
    .replace(/dh/g, 'd')
    .replace(/dj|j/g, 'g')
    .replace(/zh/g, 'z')
    .replace(/ph/g, 'f')
    .replace(/p/g, 'b')
    .replace(/[qc]/g, 'k')
    .replace(/[aeiouwvy']/g, '');
  return squeezed(letters);
}

/** The same in Hebrew letters; several, since v, f and ch can be written in two ways. */
export function asHebrew(latin: string): readonly string[] {
  const base = latin
    .replace(/sch|sh/g, 's')
    .replace(/c(?!h)/g, 'k')
    .replace(/x/g, 'ks')
    // a letter of its own, which no h after it may change
    .replace(/tz|ts/g, 'x')
    .replace(/z/g, 's')
    .replace(/th/g, 't')
    .replace(/ph|f/g, 'p')
    .replace(/q/g, 'k');
  const found = new Set<string>();
  for (const throat of ['h', 'k'])
    for (const lips of ['b', ''])
      found.add(
        squeezed(
          base
            .replace(/kh|ch/g, throat)
            .replace(/[vw]/g, lips)
            .replace(/[aeiouyj']/g, ''),
        ),
      );
  return [...found];
}

/** Without doubled letters, and without a silent h at the end. */
function squeezed(letters: string): string {
  return letters.replace(/(.)\1+/g, '$1').replace(/h$/, '');
}
