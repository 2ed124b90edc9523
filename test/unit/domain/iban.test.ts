/** IBANs and BICs: read as the registry says, of every country; made for the bank's own accounts. */
import { describe, expect, test } from '@jest/globals';
import {
  countryOfIban,
  ibanCountries,
  ibanOf,
  isInSepa,
  isIssuedBy,
  printIban,
  readBic,
  readIban,
} from '../../../domain/standards/iban.ts';

/** The example of each country in SWIFT's IBAN registry (ISO 13616). */
const EXAMPLES = [
  'AD1200012030200359100100',
  'AE070331234567890123456',
  'AL47212110090000000235698741',
  'AT611904300234573201',
  'AZ21NABZ00000000137010001944',
  'BA391290079401028494',
  'BE68539007547034',
  'BG80BNBG96611020345678',
  'BH67BMAG00001299123456',
  'BI4210000100010000332045181',
  'BR1800360305000010009795493C1',
  'BY13NBRB3600900000002Z00AB00',
  'CH9300762011623852957',
  'CR05015202001026284066',
  'CY17002001280000001200527600',
  'CZ6508000000192000145399',
  'DE89370400440532013000',
  'DJ2100010000000154000100186',
  'DK5000400440116243',
  'DO28BAGR00000001212453611324',
  'EE382200221020145685',
  'EG380019000500000000263180002',
  'ES9121000418450200051332',
  'FI2112345600000785',
  'FK88SC123456789012',
  'FO6264600001631634',
  'FR1420041010050500013M02606',
  'GB29NWBK60161331926819',
  'GE29NB0000000101904917',
  'GI75NWBK000000007099453',
  'GL8964710001000206',
  'GR1601101250000000012300695',
  'GT82TRAJ01020000001210029690',
  'HN88CABF00000000000250005469',
  'HR1210010051863000160',
  'HU42117730161111101800000000',
  'IE29AIBK93115212345678',
  'IL620108000000099999999',
  'IQ98NBIQ850123456789012',
  'IS140159260076545510730339',
  'IT60X0542811101000000123456',
  'JO94CBJO0010000000000131000302',
  'KW81CBKU0000000000001234560101',
  'KZ86125KZT5004100100',
  'LB62099900000001001901229114',
  'LC55HEMM000100010012001200023015',
  'LI21088100002324013AA',
  'LT121000011101001000',
  'LU280019400644750000',
  'LV80BANK0000435195001',
  'LY83002048000020100120361',
  'MC5811222000010123456789030',
  'MD24AG000225100013104168',
  'ME25505000012345678951',
  'MK07250120000058984',
  'MN121234123456789123',
  'MR1300020001010000123456753',
  'MT84MALT011000012345MTLCAST001S',
  'MU17BOMM0101101030300200000MUR',
  'NI45BAPR00000013000003558124',
  'NL91ABNA0417164300',
  'NO9386011117947',
  'OM810180000001299123456',
  'PK36SCBL0000001123456702',
  'PL61109010140000071219812874',
  'PS92PALS000000000400123456702',
  'PT50000201231234567890154',
  'QA58DOHB00001234567890ABCDEFG',
  'RO49AAAA1B31007593840000',
  'RS35260005601001611379',
  'RU0304452522540817810538091310419',
  'SA0380000000608010167519',
  'SC18SSCB11010000000000001497USD',
  'SD2129010501234001',
  'SE4550000000058398257466',
  'SI56263300012039086',
  'SK3112000000198742637541',
  'SM86U0322509800000000270100',
  'SO211000001001000100141',
  'ST23000100010051845310146',
  'SV62CENR00000000000000700025',
  'TL380080012345678910157',
  'TN5910006035183598478831',
  'TR330006100519786457841326',
  'UA213223130000026007233566001',
  'VA59001123000012345678',
  'VG96VPVG0000012345678901',
  'XK051212012345678906',
  'YE15CBYE0001018861234567891234',
];

test('every country of the registry has its example here', () => {
  expect(EXAMPLES.map(countryOfIban).toSorted()).toEqual(ibanCountries.toSorted());
});

describe.each(EXAMPLES)('%s', (iban) => {
  test('is read, also as it is printed and in lower case', () => {
    expect([iban, printIban(iban), iban.toLowerCase()].map(readIban)).toEqual([iban, iban, iban]);
  });

  test('is none with any one digit changed, with a digit missing or with one more', () => {
    const digits = [...iban].flatMap((sign, place) => (place >= 2 && /\d/.test(sign) ? [place] : []));
    for (const place of digits)
      for (const other of '0123456789'.replace(iban.charAt(place), ''))
        expect(readIban(iban.slice(0, place) + other + iban.slice(place + 1))).toBeUndefined();
    expect([iban.slice(0, -1), `${iban}0`].map(readIban)).toEqual([undefined, undefined]);
  });

  test('is none with two neighbouring digits exchanged', () => {
    for (let place = 4; place < iban.length - 1; place += 1) {
      const [one, two] = [iban.charAt(place), iban.charAt(place + 1)];
      if (one === two || !/\d\d/.test(one + two)) continue;
      expect(readIban(iban.slice(0, place) + two + one + iban.slice(place + 2))).toBeUndefined();
    }
  });
});

test.each([
  '',
  'DE',
  'XX00000000000000',
  'DE89 3704 0044 0532 0130 0O',
  'GF4120041010050500013M02606',
  '💶',
  'DE89-3704',
])('%p is no IBAN', (text) => {
  expect(readIban(text)).toBeUndefined();
});

test('SEPA reaches the countries of its schemes and no other', () => {
  expect(isInSepa('DE89370400440532013000')).toBe(true);
  expect(isInSepa('CH9300762011623852957')).toBe(true);
  expect(isInSepa('MD24AG000225100013104168')).toBe(true);
  expect(isInSepa('TR330006100519786457841326')).toBe(false);
});

test.each([
  ['DEUTDEFF', 'DEUTDEFF'],
  ['deutdeff500', 'DEUTDEFF500'],
  ['DEUTDEF', undefined],
  ['DEUTDEFF50', undefined],
  ['DEUTXXFF', undefined],
  ['1234DEFF', undefined],
])('the BIC %p reads as %p', (text, bic) => {
  expect(readBic(text)).toBe(bic);
});

describe('the IBAN of an account of ours', () => {
  const NUMBERS = ['100000000190', '100000123412', '999999999999'];

  test('in Germany holds bank code and account as they are', () => {
    const iban = ibanOf({ country: 'DE', bankCode: '99990000' }, '100000000190');
    expect(iban).toBe('DE59999900001000000001');
  });

  test.each([
    ['DE', '99990000'],
    ['AT', '19043'],
    ['CH', '00762'],
    ['ES', '21000418'],
    ['FR', '2004101005'],
    ['PT', '00020123'],
    ['EE', '22'],
    ['PL', '10901014'],
    ['HU', '11773016'],
    ['ME', '505'],
    ['RS', '260'],
    ['MK', '250'],
  ])('in %s passes the checks of the country, and no two are one', (country, bankCode) => {
    const ibans = NUMBERS.map((number) => ibanOf({ country, bankCode }, number));
    expect(ibans.map(readIban)).toEqual(ibans);
    expect(new Set(ibans).size).toBe(NUMBERS.length);
    for (const iban of ibans) expect(isIssuedBy({ country, bankCode }, iban)).toBe(true);
  });

  test('is told from those of other banks', () => {
    const issuer = { country: 'DE', bankCode: '99990000' };
    expect(isIssuedBy(issuer, 'DE89370400440532013000')).toBe(false);
    expect(isIssuedBy({ ...issuer, country: 'AT' }, ibanOf(issuer, '100000000190'))).toBe(false);
  });

  test('with less room leaves out what all numbers begin with, and is refused once they outgrow it', () => {
    const british = { country: 'GB', bankCode: 'NWBK601613' };
    expect(ibanOf(british, '100000123412').slice(4)).toBe('NWBK60161300001234');
    expect(() => ibanOf(british, '123456789012')).toThrow(/no IBAN/);
  });

  test.each([
    ['DE', '9999'],
    ['DE', '999900001'],
    ['DE', 'ABCD0000'],
    ['FR', '20041'],
    ['CZ', '0800'],
    ['GF', '2004101005'],
    ['XX', '99990000'],
    ['US', '99990000'],
  ])('in %s with the bank code %s is refused', (country, bankCode) => {
    expect(() => ibanOf({ country, bankCode }, '100000000190')).toThrow();
  });
});
