/** What a text message carries: typography becomes plain, and letters stay. */
import { expect, test } from '@jest/globals';
import { smsSize, smsText } from '../../../domain/notifications/sms.ts';
import { fc } from '../../support/property.ts';

const GSM = '@£$¥èéùìòÇ\nØøÅåΔΩÆæßÉ !"#¤%&\'()*+,-./09:;<=>?¡AZÄÖÑÜ§¿azäöñüà^{}\\[~]|€';
const TYPOGRAPHY = '\u00a0\u2009\u202f\t\u2028\u00ad\u200b…‘’‚‹›´`“”„«»‐‑–—−₹₩₫฿';
const LETTERS = 'жłŁşğčǎ漢字あعאท\u0301\u0e48ʼ👋🏽';
const textOf = (characters: string, maxLength = 400) =>
  fc
    .array(fc.oneof(fc.constantFrom(...characters), fc.constantFrom(...'aeinrst ')), { maxLength })
    .map((each) => each.join(''));
const anyText = fc.oneof(
  textOf(GSM + TYPOGRAPHY),
  textOf(GSM + TYPOGRAPHY + LETTERS),
  fc.string({ unit: 'binary', maxLength: 400 }),
);
const CODES: Record<string, string> = {
  '₹': 'INR',
  '₩': 'KRW',
  '₫': 'VND',
  '฿': 'THB',
  '₪': 'ILS',
  '₱': 'PHP',
};
/** Letters, marks and digits; the sign of a currency says its code. */
const lettersOf = (text: string) =>
  text.replaceAll(/[₪₹₩₱₫฿]/gu, (sign) => CODES[sign] ?? sign).replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '');

test.each([
  ['1.234,50\u00a0€ gingen ab', '1.234,50 € gingen ab'],
  ['F\u202fCFA\u00a01,234', 'F CFA 1,234'],
  ['Mül…r', 'Mül...r'],
  ['„Nicht Sie?“ – ‚nein‘, l’été', "\"Nicht Sie?\" - 'nein', l'été"],
  ['−5\u2009% «oui»', '-5 % "oui"'],
  ['soft\u00adhyphen, no\u2011break', 'softhyphen, no-break'],
  ['₹1,234.50 or 1.234,50\u00a0₫', 'INR 1,234.50 or 1.234,50 VND'],
])('typography is plain in a text message: %j', (text, plain) => {
  expect(smsText(text)).toBe(plain);
  expect(smsSize(smsText(text)).encoding).toBe('GSM-7');
});

test('a name in other letters stays what it is, and makes the message UCS-2', () => {
  const text = smsText('100\u00a0€ an Łukasz Żółć – Grüße');
  expect(text).toBe('100 € an Łukasz Żółć - Grüße');
  expect(smsSize(text)).toEqual({ encoding: 'UCS-2', segments: 1 });
});

test('what would need more messages in plain characters keeps its typography', () => {
  const text = `${'ж'.repeat(69)}…`;
  expect(smsText(text)).toBe(text);
});

test('a text that is plain already stays as it is', () => {
  fc.assert(fc.property(textOf(GSM), (text) => smsText(text) === text));
});

test('a text message that is made plain twice is the same', () => {
  fc.assert(fc.property(anyText, (text) => smsText(smsText(text)) === smsText(text)));
});

test('a text message keeps all letters, marks and digits in their order', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(lettersOf(smsText(text))).toBe(lettersOf(text));
    }),
  );
});

test('a plain text message never costs more than the text it was made of', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(smsSize(smsText(text)).segments).toBeLessThanOrEqual(smsSize(text).segments);
    }),
  );
});

test('a short text of GSM-7 letters and typography becomes a message in GSM-7', () => {
  fc.assert(
    fc.property(textOf(GSM + TYPOGRAPHY, 50), (text) => {
      expect(smsSize(smsText(text)).encoding).toBe('GSM-7');
    }),
  );
});
