/** The payment files that leave: valid by the official schema whatever people have written into names and texts. */
import { expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Unwritable, writePain001 } from '../../../../adapters/rail/pain001.ts';
import { sepaText } from '../../../../adapters/rail/sepa-text.ts';
import { currencyScales } from '../../../../domain/standards/currencies.ts';
import { TransferId } from '../../../../domain/ids.ts';
import { railIdOf, uuidOfRailId, type RailPayment } from '../../../../domain/transfers/rail.ts';
import { readOrder } from '../../../../dev/rail/bank.ts';
import { violations } from '../../../support/formats/xsd.ts';
import { fc } from '../../../support/property.ts';

const INITIATOR = { name: 'Teller Bank', bic: 'TELLDEFFXXX' };

function payment(changes: Partial<RailPayment> = {}): RailPayment {
  return {
    transferId: TransferId.parse(randomUUID()),
    type: 'sepa',
    amount: { minor: 123_456n, asset: 'EUR' },
    debtor: { name: 'Ada Lovelace', iban: 'DE02120300000000202051' },
    creditor: {
      name: 'Grace Hopper',
      iban: 'FR1420041010050500013M02606',
      bic: 'PSSTFRPPPAR',
      country: 'FR',
    },
    remittance: 'Invoice 2026-11',
    executionDate: '2026-11-23',
    ...changes,
  };
}

const write = (one: RailPayment): string =>
  writePain001(
    one,
    { messageId: railIdOf(one.transferId), createdAt: new Date('2026-11-21T10:00:00.123Z') },
    INITIATOR,
  ).toString();

const valid = (one: RailPayment): void => expect(violations('pain.001.001.09', write(one))).toEqual([]);
const SEPA_SET = /^[A-Za-z0-9/\-?:().,'+ ]*$/;

test('a SEPA payment is what the schema asks for, and says what was wanted', () => {
  const one = payment();
  valid(one);
  const xml = write(one);
  expect(xml).toContain('<InstdAmt Ccy="EUR">1234.56</InstdAmt>');
  expect(xml).toContain('<CtrlSum>1234.56</CtrlSum>');
  expect(xml).toContain('<IBAN>FR1420041010050500013M02606</IBAN>');
  expect(xml).toContain('<BICFI>PSSTFRPPPAR</BICFI>');
  expect(xml).toContain('<BICFI>TELLDEFFXXX</BICFI>');
  expect(xml).toContain('<Cd>SEPA</Cd>');
  expect(xml).toContain('<ChrgBr>SLEV</ChrgBr>');
  expect(xml).toContain('<Dt>2026-11-23</Dt>');
  expect(xml).toContain('<Ustrd>Invoice 2026-11</Ustrd>');
});

test('an international payment may go to an account without IBAN, in another currency', () => {
  const one = payment({
    type: 'international',
    amount: { minor: 5_000n, asset: 'JPY' },
    debtor: { name: 'Ada Lovelace', account: '100000000190' },
    creditor: { name: 'Yukihiro', account: '0012345678', bic: 'BOTKJPJT', country: 'JP' },
  });
  valid(one);
  const xml = write(one);
  expect(xml).toContain('<InstdAmt Ccy="JPY">5000</InstdAmt>');
  expect(xml).toContain('<ChrgBr>SHAR</ChrgBr>');
  expect(xml).not.toContain('SEPA');
});

test('the bank of the payee may be left out where the IBAN tells it', () => {
  const { bic: _bic, ...creditor } = payment().creditor;
  valid(payment({ creditor }));
});

test('every id fits into 35 characters and leads back to the transfer', () => {
  const one = payment();
  const ids = [...write(one).matchAll(/<(MsgId|PmtInfId|InstrId|EndToEndId)>([^<]*)</g)].map(
    ([, , id]) => id,
  );
  expect(ids).toHaveLength(4);
  for (const id of ids) {
    expect(id?.length).toBeLessThanOrEqual(35);
    expect(uuidOfRailId(id ?? '')).toBe(one.transferId);
  }
});

test('the same payment written twice is the same file to the last byte', () => {
  const one = payment();
  expect(write(one)).toBe(write(one));
});

test.each([
  ['Müller & Söhne GmbH', 'Muller + Sohne GmbH'],
  ['Łukasz Żółć', 'Lukasz Zolc'],
  ['Ελένη Παππά', 'Eleni Pappa'],
  ['Иван Петров', 'Ivan Petrov'],
  ['“Quotes” — and €uro', "'Quotes' - and EURuro"],
  ['tab\tand\nline', 'tab and line'],
  ['<script>&amp;</script>', '(script)+amp,(/script)'],
  ['  spaced   out  ', 'spaced out'],
])('a name such as %j is written as %j', (name, written) => {
  expect(sepaText(name, 70)).toBe(written);
  const one = payment({ creditor: { ...payment().creditor, name } });
  valid(one);
  expect(write(one)).toContain(`<Nm>${written}</Nm>`);
});

test('a name of which nothing can be written stands as not provided', () => {
  const one = payment({ creditor: { ...payment().creditor, name: '\u200b\ufe0f' } });
  valid(one);
  expect(write(one)).toContain('<Nm>NOTPROVIDED</Nm>');
});

test('a text of 140 characters arrives whole, a longer one is cut, an empty one is left out', () => {
  const text = 'Lorem ipsum 12/34 '.repeat(8).slice(0, 140).replace(/ $/, 'x');
  expect(write(payment({ remittance: text }))).toContain(`<Ustrd>${text}</Ustrd>`);
  const cut = payment({ remittance: `${text} and more` });
  valid(cut);
  expect(write(cut)).toContain(`<Ustrd>${text}</Ustrd>`);
  const none = payment({ remittance: '' });
  valid(none);
  expect(write(none)).not.toContain('RmtInf');
});

test('a text that grows when it is transliterated still fits', () => {
  const one = payment({
    remittance: '漢'.repeat(140),
    creditor: { ...payment().creditor, name: 'Щ'.repeat(70) },
  });
  valid(one);
});

test('whatever anybody writes, the file is valid and within the character set', () => {
  const text = fc.string({ unit: 'binary', maxLength: 200 });
  fc.assert(
    fc.property(text, text, text, fc.bigInt(1n, 10n ** 18n - 1n), (debtor, creditor, remittance, minor) => {
      const one = payment({
        amount: { minor, asset: 'EUR' },
        debtor: { ...payment().debtor, name: debtor },
        creditor: { ...payment().creditor, name: creditor },
        remittance,
      });
      const xml = write(one);
      expect(violations('pain.001.001.09', xml)).toEqual([]);
      for (const [, value = ''] of xml.matchAll(/<(?:Nm|Ustrd)>([^<]*)</g))
        expect(value.replaceAll('&amp;', '&')).toMatch(SEPA_SET);
      expect(readOrder(Buffer.from(xml)).endToEndId).toBe(railIdOf(one.transferId));
    }),
    { numRuns: 300 },
  );
});

test('every ISO 4217 currency is written with just its digits', () => {
  for (const [asset, scale] of currencyScales) {
    if (!/^[A-Z]{3}$/.test(asset) || scale > 5) continue;
    const one = payment({ type: 'international', amount: { minor: 10n ** BigInt(scale) + 1n, asset } });
    valid(one);
    const written = /<InstdAmt Ccy="[A-Z]{3}">([\d.]+)</.exec(write(one))?.[1] ?? '';
    expect((written.split('.')[1] ?? '').length).toBe(scale);
  }
});

test.each([
  ['nothing', { minor: 0n, asset: 'EUR' }],
  ['less than nothing', { minor: -1n, asset: 'EUR' }],
  ['more digits than the rail has', { minor: 10n ** 18n, asset: 'EUR' }],
])('a payment of %s is not written', (_what, amount) => {
  expect(() => write(payment({ amount }))).toThrow(Unwritable);
});
