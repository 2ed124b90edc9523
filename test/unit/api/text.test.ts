/** Wherever people write text, the same characters pass. */
import { expect, test } from '@jest/globals';
import { OpenAccountRequest } from '../../../api/accounts/schemas.ts';
import { PersonName, Reason, Text } from '../../../api/wire/text.ts';
import { TransferRequest } from '../../../api/transfers/requests.ts';

const WRITTEN = ['می‌خواه', 'क्‍ष', 'Zoë Müller-Østergård', '👨‍👩‍👧', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', 'Ὀδυσσεύς', '王小明'];
const UNREADABLE = [
  'a\u0000b',
  'a\u0007b',
  'a\u202eb',
  'a\u061cb',
  'a\u00adb',
  '\u200d',
  'a\u2066b',
  'a\u200bb',
  'a\u2028b',
  'a\ud800b',
  'a\nb',
];

const ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const places = {
  'a name of a person': (text: string) => PersonName.safeParse(text),
  'a reason': (text: string) => Reason.safeParse(text),
  'a nickname': (nickname: string) => OpenAccountRequest.safeParse({ account_type_id: ID, nickname }),
  'the name of a payee': (name: string) =>
    TransferRequest.safeParse({
      source_account_id: ID,
      destination: { iban: 'DE89370400440532013000', name },
      amount: { amount: '12.34', currency: 'EUR' },
    }),
  'a description of a transfer': (description: string) =>
    TransferRequest.safeParse({
      ...{ source_account_id: ID, destination: { account_id: ID }, description },
      amount: { amount: '12.34', currency: 'EUR' },
    }),
};

test.each(Object.keys(places) as (keyof typeof places)[])(
  '%s may have any script, joiners and emoji',
  (place) => {
    expect(WRITTEN.filter((text) => !places[place](text).success)).toEqual([]);
    expect(UNREADABLE.filter((text) => places[place](text).success)).toEqual([]);
  },
);

test('a longer text may have lines and tabs, and nothing else of the kind', () => {
  expect(Text(100).parse('Dear bank,\r\n\tmy card\n')).toBe('Dear bank,\r\n\tmy card');
  expect(Text(100).safeParse('a\u0007b').success).toBe(false);
});
