/**
 * What a text message carries, and how many messages a text becomes (3GPP TS 23.038): 160 characters of GSM-7, or 70 of UCS-2, fewer once
 * there are several.
 */

const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
/** Each takes two places. */
const EXTENDED = '^{}\\[~]|€\f';

export interface SmsSize {
  readonly encoding: 'GSM-7' | 'UCS-2';
  readonly segments: number;
}

export function smsSize(text: string): SmsSize {
  const characters = [...text];
  if (characters.every((one) => BASIC.includes(one) || EXTENDED.includes(one))) {
    const places = characters.reduce((sum, one) => sum + (EXTENDED.includes(one) ? 2 : 1), 0);
    return { encoding: 'GSM-7', segments: places <= 160 ? 1 : Math.ceil(places / 153) };
  }
  // UTF-16 code units, as phones count them
  return { encoding: 'UCS-2', segments: text.length <= 70 ? 1 : Math.ceil(text.length / 67) };
}

/** Typography that GSM-7 does not have, and what says the same in it. Letters are never replaced: a name stays what it is. */
const PLAIN: readonly (readonly [RegExp, string])[] = [
  [/[\p{Zs}\t]/gu, ' '],
  [/[\u2028\u2029]/gu, '\n'],
  // they show where a line may break or where a text begins
  [/[\u00ad\u200b\u2060\ufeff]/gu, ''],
  [/…/gu, '...'],
  [/[‘’‚‛′‹›´`]/gu, "'"],
  [/[“”„‟″«»]/gu, '"'],
  [/[‐‑‒–—―−]/gu, '-'],
  // signs that `Intl` writes for a currency
  ...Object.entries({ '₪': 'ILS', '₹': 'INR', '₩': 'KRW', '₱': 'PHP', '₫': 'VND', '฿': 'THB' }).flatMap(
    ([sign, code]) =>
      [
        [new RegExp(`${sign}(?=\\d)`, 'gu'), `${code} `],
        [new RegExp(sign, 'gu'), code],
      ] as const,
  ),
];

/** The text as a message carries it: in GSM-7 if typography is all that keeps it out, and never in more messages than before. */
export function smsText(text: string): string {
  const plain = PLAIN.reduce((said, [typography, instead]) => said.replaceAll(typography, instead), text);
  return smsSize(plain).segments <= smsSize(text).segments ? plain : text;
}
