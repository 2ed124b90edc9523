/** How many messages a text becomes (3GPP TS 23.038): 160 characters of GSM-7, or 70 of UCS-2, fewer once there are several. */

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
