/** Chinese and Korean names: a family and one or two syllables, where a single letter makes another person. */
import { chineseFamilies, koreanFamilies } from './tables/east-asian.ts';

/** A name that can be read as family and given name, in one of the orders. */
export interface Reading {
  readonly families: readonly string[];
  readonly given: string;
  readonly rough: string;
}

const PINYIN =
  /^(?:(?:zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw])?(?:iang|iong|uang|ang|eng|ing|ong|ian|iao|uai|uan|ai|an|ao|ei|en|er|ia|ie|in|iu|ou|ua|ue|ui|un|uo|a|e|i|o|u)){1,2}$/;
const WADE =
  /^(?:(?:hs|ch|sh|tz|ts|[bpmfdtnlkhjszyw])?(?:iang|iung|uang|ang|eng|ing|ung|ien|iao|uai|uan|ieh|ueh|ih|ai|an|ao|ei|en|ia|in|iu|ou|ua|ui|un|uo|a|e|i|o|u)){1,2}$/;
const KOREAN =
  /^(?:(?:kk|ch|sh|ss|[kgntdlrmbpsjhyw])?h?(?:yeo|yae|you|yoo|wae|ae|ai|ay|eo|eu|oe|oo|ou|ui|wi|wo|ya|ye|yo|yu|ee|a|e|i|o|u)(?:ng|ck|[kgnlrmpbt])?){1,2}$/;

/** Roughly what Pinyin and Wade-Giles have in common. */
export function roughChinese(text: string): string {
  return text
    .replace(/hs|x/g, 'X')
    .replace(/sh(?:ih)?/g, 'S')
    .replace(/zh|ch|[jq]/g, 'C')
    .replace(/tz|ts|z|c/g, 'Z')
    .replace(/ih|eh/g, (end) => (end === 'ih' ? 'i' : 'e'))
    .replace(/ien/g, 'ian')
    .replace(/yen/g, 'yan')
    .replace(/ung/g, 'ong')
    .replace(/b/g, 'p')
    .replace(/d/g, 't')
    .replace(/g(?=[aeiou])/g, 'k')
    .replace(/h(?=$)/g, '')
    .replace(/Zu$/g, 'Zi');
}

/** One letter for sounds that the ways to write Korean do not tell apart. */
export function roughKorean(text: string): string {
  return text
    .replace(/yeo|you|yoo|yeu|yu|yo/g, 'Y')
    .replace(/ui/g, 'i')
    .replace(/eo|eu|oo|ou|wu|woo|o|u/g, 'o')
    .replace(/ae|ai|ay/g, 'e')
    .replace(/ee|i/g, 'i')
    .replace(/ch|j/g, 'c')
    .replace(/sh|ss/g, 's')
    .replace(/kk|ck|g(?!$)|(?<!n)g/g, 'k')
    .replace(/d/g, 't')
    .replace(/b/g, 'p')
    .replace(/r/g, 'l')
    .replace(/wo(?!n)/g, 'o')
    .replace(/(.)\1+/g, '$1')
    .replace(/(?<=n)k(?=$|[^aeioY])/g, 'g');
}

/** How the words of a name read as a Chinese name; none if they do not. `wade`: spelled as Wade and Giles do. */
export function asChinese(words: readonly string[], wade: boolean): readonly Reading[] {
  return readings(words, chineseFamilies, (given) => (wade ? WADE : PINYIN).test(given), roughChinese);
}

/** The same for a Korean name. */
export function asKorean(words: readonly string[]): readonly Reading[] {
  return readings(words, koreanFamilies, (given) => KOREAN.test(given), roughKorean);
}

/** True for spellings that only Wade-Giles has. */
export function looksLikeWade(text: string): boolean {
  return /(?:^|[^a-z])hs|[ptkc]h?['’ʻ‘]|tse|tz|szu|ssu|ieh|ien\b|chih|shih|jih|(?:^|[^a-z])(?:k|t|h|l|ch|ts|s|j)ung\b/i.test(
    text,
  );
}

function readings(
  words: readonly string[],
  families: (word: string) => readonly string[],
  fits: (given: string) => boolean,
  rough: (given: string) => string,
): readonly Reading[] {
  if (words.length < 2 || words.length > 3) return [];
  const found: Reading[] = [];
  const rest = (from: number, to: number): string => words.slice(from, to).join('');
  const read = (family: string, given: string): void => {
    const known = families(family);
    if (known.length > 0 && fits(given)) found.push({ families: known, given, rough: rough(given) });
  };
  read(words[0] ?? '', rest(1, words.length));
  read(words[words.length - 1] ?? '', rest(0, words.length - 1));
  return found;
}
