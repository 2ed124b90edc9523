/** The machine-readable zone against the form: specimens of ICAO 9303, documents made up, and each difference. */
import { describe, expect, test } from '@jest/globals';
import type { MrzForm } from '../../../../domain/compliance/mrz-fields.ts';
import { checkMrz } from '../../../../domain/compliance/mrz.ts';
import { fc } from '../../../support/property.ts';
import { checkDigit, td1, td2, td3, type Person } from './mrz-lines.ts';

const TODAY = new Date('2026-11-28T12:00:00Z');

const ERIKA: MrzForm = {
  first_name: 'Erika',
  last_name: 'Mustermann',
  date_of_birth: '1980-01-01',
  nationalities: ['DE'],
  document: { type: 'passport', number: 'X1234567', issuing_country: 'DE', expires_on: '2033-01-01' },
};
const withCard = (form: MrzForm): MrzForm => ({ ...form, document: { ...form.document, type: 'id_card' } });

/** The fields that do not agree, as "field: document | form". */
function differences(lines: readonly string[], form: MrzForm, today = TODAY): readonly string[] {
  return checkMrz(lines, form, today)
    .fields.filter(({ agrees }) => !agrees)
    .map((one) => `${one.field}: ${one.document ?? '-'} | ${one.form ?? '-'}`);
}

/** Whether the names of a zone are the ones of a form. */
function sameNames(
  names: string,
  form: Partial<MrzForm>,
  lines: (person: Person) => string[] = td3,
): boolean {
  const { fields } = checkMrz(lines({ names }), { ...ERIKA, ...form }, TODAY);
  const compared = fields.filter(({ field }) => field.includes('name'));
  expect(compared.length).toBeGreaterThan(0);
  return compared.every(({ agrees }) => agrees);
}

const ANNA: MrzForm = {
  ...{ first_name: 'Anna', middle_names: 'Maria', last_name: 'Eriksson', date_of_birth: '1974-08-12' },
  nationalities: ['SE'],
  document: { type: 'passport', number: 'L898902C3', issuing_country: 'SE', expires_on: '2012-04-15' },
};
const SPECIMEN_TD3 = [
  'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
  'L898902C36UTO7408122F1204159ZE184226B<<<<<10',
];
const SPECIMEN_TD2 = ['I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', 'D231458907UTO7408122F1204159<<<<<<<6'];
const SPECIMEN_TD1 = [
  'I<UTOD231458907<<<<<<<<<<<<<<<',
  '7408122F1204159UTO<<<<<<<<<<<6',
  'ERIKSSON<<ANNA<MARIA<<<<<<<<<<',
];

describe('a specimen of ICAO 9303', () => {
  const utopia = ['nationalities: UTO | SE', 'document.issuing_country: UTO | SE'];
  const card = { ...ANNA, document: { ...ANNA.document, type: 'id_card', number: 'D23145890' } };

  test('is valid as a passport, and its country agrees with none', () => {
    const { valid, fields } = checkMrz(SPECIMEN_TD3, ANNA, TODAY);
    expect(valid).toBe(true);
    expect(fields).toEqual([
      { field: 'last_name', document: 'ERIKSSON', form: 'Eriksson', agrees: true },
      { field: 'first_name', document: 'ANNA', form: 'Anna', agrees: true },
      { field: 'middle_names', document: 'MARIA', form: 'Maria', agrees: true },
      { field: 'date_of_birth', document: '1974-08-12', form: '1974-08-12', agrees: true },
      { field: 'nationalities', document: 'UTO', form: 'SE', agrees: false },
      { field: 'document.type', document: 'P', form: 'passport', agrees: true },
      { field: 'document.number', document: 'L898902C3', form: 'L898902C3', agrees: true },
      { field: 'document.issuing_country', document: 'UTO', form: 'SE', agrees: false },
      { field: 'document.expires_on', document: '2012-04-15', form: '2012-04-15', agrees: true },
    ]);
  });

  test.each([
    ['of two lines', SPECIMEN_TD2],
    ['of three lines', SPECIMEN_TD1],
  ])('is valid as a card %s', (_, lines) => {
    expect(checkMrz(lines, card, TODAY).valid).toBe(true);
    expect(differences(lines, card)).toEqual(utopia);
  });

  test('has a long number that goes on in the optional data', () => {
    const lines = [
      'I<UTOD23145890<7349<<<<<<<<<<<',
      '3407127M9507122UTO<<<<<<<<<<<2',
      'STEVENSON<<PETER<JOHN<<<<<<<<<',
    ];
    const { valid, fields } = checkMrz(lines, ERIKA, TODAY);
    expect(valid).toBe(true);
    expect(fields).toContainEqual({
      field: 'document.number',
      document: 'D23145890734',
      form: 'X1234567',
      agrees: false,
    });
  });
});

test('the specimen of the German identity card agrees', () => {
  const lines = [
    'IDD<<T220001293<<<<<<<<<<<<<<<',
    '6408125<2010315D<<<<<<<<<<<<<4',
    'MUSTERMANN<<ERIKA<<<<<<<<<<<<<',
  ];
  const form = {
    ...{ first_name: 'Erika', last_name: 'Mustermann', date_of_birth: '1964-08-12', nationalities: ['DE'] },
    document: { type: 'id_card', number: 'T22000129', issuing_country: 'DE', expires_on: '2020-10-31' },
  };
  expect(checkMrz(lines, form, TODAY).valid).toBe(true);
  expect(differences(lines, form)).toEqual([]);
});

test('the former French identity card has neither expiry nor nationality, and they are not compared', () => {
  const lines = ['IDFRABERTHIER<<<<<<<<<<<<<<<<<<<<<<<', '8806923102858CORINNE<<<<<<<6512068F6'];
  const form = {
    ...{ first_name: 'Corinne', last_name: 'Berthier', date_of_birth: '1965-12-06', nationalities: ['FR'] },
    document: { type: 'id_card', number: '880692310285', issuing_country: 'FR', expires_on: '2030-01-01' },
  };
  const { valid, fields } = checkMrz(lines, form, TODAY);
  expect(valid).toBe(true);
  expect(fields.map(({ field, agrees }) => [field, agrees])).toEqual([
    ['last_name', true],
    ['first_name', true],
    ['date_of_birth', true],
    ['document.type', true],
    ['document.number', true],
    ['document.issuing_country', true],
  ]);
});

describe.each([
  ['TD1', td1, withCard(ERIKA)],
  ['TD2', td2, withCard(ERIKA)],
  ['TD3', td3, ERIKA],
] as const)('a zone of %s', (_, lines, form) => {
  test('that says what the form says is valid and agrees', () => {
    expect(checkMrz(lines(), form, TODAY).valid).toBe(true);
    expect(differences(lines(), form)).toEqual([]);
  });

  test.each<[string, Person, string]>([
    ['the family name', { names: 'MUSTERFRAU<<ERIKA' }, 'last_name: MUSTERFRAU | Mustermann'],
    ['the first name', { names: 'MUSTERMANN<<ERIKO' }, 'first_name: ERIKO | Erika'],
    ['a given name more', { names: 'MUSTERMANN<<ERIKA<EVA' }, 'middle_names: EVA | -'],
    ['the birth date', { birth: '800102' }, 'date_of_birth: 1980-01-02 | 1980-01-01'],
    ['the nationality', { nationality: 'AUT' }, 'nationalities: AT | DE'],
    ['the number', { number: 'X1234568' }, 'document.number: X1234568 | X1234567'],
    ['the issuing country', { issuer: 'CHE' }, 'document.issuing_country: CH | DE'],
    ['the expiry', { expiry: '330102' }, 'document.expires_on: 2033-01-02 | 2033-01-01'],
  ])('that differs in %s is valid, and the difference is listed', (__, person, difference) => {
    expect(checkMrz(lines(person), form, TODAY).valid).toBe(true);
    expect(differences(lines(person), form)).toEqual([difference]);
  });

  test('is not valid with any digit changed that a check digit covers, and is compared all the same', () => {
    const right = lines({ optional: '123456' });
    const changed = right.flatMap((line, row) =>
      [...line].flatMap((character, at) =>
        /\d/.test(character)
          ? [
              right.with(
                row,
                `${line.slice(0, at)}${String((Number(character) + 1) % 10)}${line.slice(at + 1)}`,
              ),
            ]
          : [],
      ),
    );
    expect(changed.length).toBeGreaterThan(25);
    for (const wrong of changed) {
      const { valid, fields } = checkMrz(wrong, form, TODAY);
      expect({ wrong, valid }).toEqual({ wrong, valid: false });
      expect(fields).toHaveLength(8);
    }
  });

  test('is read with blanks and small letters, as people type it', () => {
    const typed = lines().map((line) => ` ${line.toLowerCase().replace(/(.{10})/g, '$1 ')}\t`);
    expect(checkMrz(typed, form, TODAY)).toEqual(checkMrz(lines(), form, TODAY));
  });
});

describe('names', () => {
  test.each<[string, Partial<MrzForm>]>([
    ['MUELLER<<JUERGEN', { last_name: 'Müller', first_name: 'Jürgen' }],
    ['MULLER<<JURGEN', { last_name: 'Müller', first_name: 'Jürgen' }],
    ['MUXXLLER<<JUERGEN', { last_name: 'Müller', first_name: 'Jürgen' }],
    ['MUELLER<<JUERGEN', { last_name: 'MÜLLER', first_name: 'JÜRGEN' }],
    ['MUELLER<<JUERGEN', { last_name: 'Mueller', first_name: 'Juergen' }],
    ['STRAUSS<<BAERBEL', { last_name: 'Strauß', first_name: 'Bärbel' }],
    ['GROESSE<<OEZLEM', { last_name: 'Größe', first_name: 'Özlem' }],
    ['YILMAZ<<GULCIN', { last_name: 'Yılmaz', first_name: 'Gülçin' }],
    ['ISIK<<IREM', { last_name: 'IŞIK', first_name: 'İrem' }],
    ['GUELCIN<<SUEKRUE', { last_name: 'Gülçin', first_name: 'Şükrü' }],
    ['SOERENSEN<<AASE', { last_name: 'Sørensen', first_name: 'Åse' }],
    ['THORSSON<<AEGIR', { last_name: 'Þórsson', first_name: 'Ægir' }],
    ['PENA<<INIGO', { last_name: 'Peña', first_name: 'Íñigo' }],
    ['PENXXA<<INIGO', { last_name: 'Peña', first_name: 'Íñigo' }],
    ['OBRIEN<<DARA', { last_name: 'O’Brien', first_name: "D'ara" }],
    ['JONES<SMITH<<MARIE<CLAUDE', { last_name: 'Jones-Smith', first_name: 'Marie-Claude' }],
    ['VAN<DER<BERG<<JAN', { last_name: 'van der Berg', first_name: 'Jan' }],
    ['VANDERBERG<<JAN', { last_name: 'van der Berg', first_name: 'Jan' }],
    ['NGUYEN<<THI<HUONG', { last_name: 'Nguyễn', first_name: 'Thị Hương' }],
    ['SHCHEGLOVA<<IULIIA', { last_name: 'Щеглова', first_name: 'Юлия' }],
    ['SHEVCHENKO<<YEVHENII', { last_name: 'Шевченко', first_name: 'Євгеній' }],
    ['DJORDJEVIC<<ZELJKO', { last_name: 'Ђорђевић', first_name: 'Жељко' }],
    ['GJORGIEV<<KJIRO', { last_name: 'Ѓоргиев', first_name: 'Ќиро' }],
    ['SHTEREVA<<TSVETA', { last_name: 'Щерева', first_name: 'Цвета' }],
    ['PAPADOPOULOS<<EFTYCHIA', { last_name: 'Παπαδόπουλος', first_name: 'Ευτυχία' }],
    ['AVGERINOS<<GIORGOS', { last_name: 'Αυγερινός', first_name: 'Γιώργος' }],
    ['ALI<<MOHAMMAD', { last_name: 'علي', first_name: 'محمد' }],
    ['WANG<<XIAOMING', { last_name: '王', first_name: '小明' }],
    ['ERIKSSON<<ANNA<MARIA', { last_name: 'Eriksson', first_name: 'Anna Maria' }],
    ['ERIKSSON<<ANNA<MARIA', { last_name: 'Eriksson', first_name: 'Anna', middle_names: 'Maria' }],
    ['ERIKSSON<<ANNAMARIA', { last_name: 'Eriksson', first_name: 'Anna-Maria' }],
    ['SUHARTO', { last_name: 'Suharto', first_name: '-' }],
  ])('%s are the names of %j', (names, form) => {
    expect(sameNames(names, form)).toBe(true);
  });

  test.each<[string, Partial<MrzForm>]>([
    ['MUELLER<<JUERGEN', { last_name: 'Muller', first_name: 'Jürgen' }],
    ['MUSTERMANN<<ERIK', { first_name: 'Erika' }],
    ['MUSTERMANN<<ERIKAE', { first_name: 'Erika' }],
    ['MUSTERMANN<<ERIKA<MARIA', { first_name: 'Maria' }],
    ['MUSTERMANN<<ERIKA', { first_name: 'Erika', middle_names: 'Maria' }],
    ['MUSTERMANN<<ERIKA<MARIE', { first_name: 'Erika', middle_names: 'Maria' }],
    ['MUSTERMANN<<ERIKA', { last_name: '' }],
    ['MUSTERMANN<<ERIKA', { first_name: '' }],
    ['MUSTERMANN', { first_name: 'Erika' }],
    ['ERIKA<<MUSTERMANN', {}],
    ['ALI<<AHMAD', { last_name: 'علي', first_name: 'محمد' }],
    ['PETROV<<IVAN', { last_name: 'Петрова', first_name: 'Иван' }],
  ])('%s are not the names of %j', (names, form) => {
    expect(sameNames(names, form)).toBe(false);
  });

  const Chayapa = {
    last_name: 'Nilavadhanananda',
    first_name: 'Chayapa',
    middle_names: 'Dejthamrong Krasuang',
  };
  const Dingo = {
    last_name: 'Bennelong Wooloomooloo Warrandyte Warnambool',
    first_name: 'Dingo',
    middle_names: 'Potoroo',
  };
  test.each<[string, Partial<MrzForm>]>([
    ['NILAVADHANANANDA<<CHAYAPA<DEJTHAMRONG<K', Chayapa],
    ['BENNELONG<WOOLOOMOOLOO<WARRANDYT<W<<D<P', Dingo],
    ['BENNELONG<WOOLOOMOOLOO<WARRANDYTE<W<<DI', Dingo],
    ['BENNELONG<WOOLOOMOOLOO<WARRANDYTE<WARNA', Dingo],
    ['BENNELONG<WOOLOOMOOLOO<WARRANDYTE<<DING', Dingo],
  ])('%s, which fills the zone, may be cut off from those of %j', (names, form) => {
    expect(names).toHaveLength(39);
    expect(sameNames(names, form)).toBe(true);
  });

  test('names that do not fill the zone are not cut off', () => {
    expect(sameNames('BENNELONG<WOOLOOMOOLOO<<DINGO', Dingo)).toBe(false);
    expect(sameNames('BENNELONG<WOOLOOMOOLOO<WARRANDYTE<W<<D<', Dingo)).toBe(false);
    expect(sameNames('NILAVADHANANANDA<<CHAYAPA', { ...Chayapa, first_name: 'Chayapadejthamrong' })).toBe(
      false,
    );
  });

  test('names that fill the zone differ if a letter differs', () => {
    expect(sameNames('NILAVADHANANANDA<<CHAYAPA<DEJTHAMRUNG<K', Chayapa)).toBe(false);
    expect(sameNames('NILAVADHANANADNA<<CHAYAPA<DEJTHAMRONG<K', Chayapa)).toBe(false);
  });

  test('nothing is said of a first name for which a full zone has no room', () => {
    const names = 'WOLFESCHLEGELSTEINHAUSENBERGERD';
    const form = { ...ERIKA, last_name: 'Wolfeschlegelsteinhausenbergerdorff', first_name: 'Hubert' };
    const { valid, fields } = checkMrz(td1({ names: names.slice(0, 30) }), form, TODAY);
    expect(valid).toBe(true);
    expect(fields.filter(({ field }) => field.includes('name'))).toEqual([
      { field: 'last_name', document: names.slice(0, 30), form: form.last_name, agrees: true },
    ]);
  });

  test('a family name with two fillers behind it that end the zone is valid', () => {
    const names = 'WOLFESCHLEGELSTEINHAUSENBERG';
    expect(checkMrz(td1({ names }), ERIKA, TODAY)).toMatchObject({ valid: true });
  });
});

describe('dates', () => {
  const born = (birth: string, date_of_birth: string, today = TODAY): readonly string[] =>
    differences(td3({ birth }), { ...ERIKA, date_of_birth }, today);
  const expires = (expiry: string, expires_on: string): readonly string[] =>
    differences(td3({ expiry }), { ...ERIKA, document: { ...ERIKA.document, expires_on } });

  test.each([
    ['261128', '2026-11-28'],
    ['261129', '1926-11-29'],
    ['000229', '2000-02-29'],
    ['200503', '1920-05-03'],
    ['200503', '2020-05-03'],
    ['7408<<', '1974-08-12'],
    ['74<<<<', '1974-08-12'],
  ])('a birth date %s may be %s', (birth, date) => {
    expect(born(birth, date)).toEqual([]);
    expect(checkMrz(td3({ birth }), ERIKA, TODAY).valid).toBe(true);
  });

  test.each([
    ['261129', '2026-11-29', '1926-11-29'],
    ['200503', '1820-05-03', '2020-05-03'],
    ['7408<<', '1974-09-12', '1974-08'],
    ['74<<<<', '1975-08-12', '1974'],
    ['<<<<<<', '1974-08-12', '-'],
    ['740812', '1974-08', '1974-08-12'],
    ['740812', '', '1974-08-12'],
  ])('a birth date %s is not %s, but %s', (birth, date, shown) => {
    expect(born(birth, date)).toEqual([`date_of_birth: ${shown} | ${date === '' ? '-' : date}`]);
  });

  test.each([
    ['261128', '2026-11-28'],
    ['960101', '1996-01-01'],
    ['950101', '2095-01-01'],
    ['280229', '2028-02-29'],
  ])('an expiry %s is %s', (expiry, date) => {
    expect(expires(expiry, date)).toEqual([]);
  });

  test('an expiry that was is not in the next century', () => {
    expect(expires('120415', '2112-04-15')).toEqual(['document.expires_on: 2012-04-15 | 2112-04-15']);
  });

  test.each(['800230', '801301', '800100', '8<0101', '80<<01', '990229', 'A00101'])(
    'a birth date %s that does not exist is not valid',
    (birth) => {
      const { valid, fields } = checkMrz(td3({ birth }), ERIKA, TODAY);
      expect(valid).toBe(false);
      expect(fields.find(({ field }) => field === 'date_of_birth')).toMatchObject({ agrees: false });
    },
  );

  test('an expiry that does not exist is not valid', () => {
    expect(checkMrz(td3({ expiry: '270229' }), ERIKA, TODAY).valid).toBe(false);
  });
});

describe('numbers', () => {
  const number = (zone: string, form: string, lines = td1): boolean =>
    differences(lines({ number: zone }), {
      ...withCard(ERIKA),
      document: { ...withCard(ERIKA).document, number: form },
    }).length === 0;

  test.each([
    ['X1234567', 'x 123-45.67'],
    ['X1234567', `X1234567<${checkDigit('X1234567<')}`],
    ['AB<12345', 'AB 12345'],
    ['AB123456', 'АБ123456'],
    ['D23145890734', 'D23145890734'],
    ['D231458907349AB', 'D 231458907349 AB'],
    ['123456789', '１２３４５６７８９'],
  ])('%s in the zone is %s in the form', (zone, form) => {
    expect(number(zone, form)).toBe(true);
  });

  test('a long number of a card of two lines is whole', () => {
    expect(number('D2314589073', 'D2314589073', td2)).toBe(true);
    expect(checkMrz(td2({ number: 'D2314589073' }), ERIKA, TODAY).valid).toBe(true);
  });

  test.each([
    ['X1234567', 'X1234568'],
    ['X1234567', 'X123456'],
    ['X1234567', 'X12345678'],
    ['X1234567', ''],
    ['', ''],
    ['', '-'],
    ['D23145890734', 'D23145890'],
    ['X1234567', 'ٮ1234567'],
  ])('%s in the zone is not %j in the form', (zone, form) => {
    expect(number(zone, form)).toBe(false);
  });

  test.each([
    ['without a digit of its own', '<'.repeat(15)],
    ['without the filler behind it', '734973497349734'],
    ['with a letter for its digit', '734A<<<<<<<<<<<'],
  ])('a long number %s is not valid', (_, data) => {
    const [first = '', second = '', third = ''] = td1({ number: 'D23145890734' });
    const front = `${first.slice(0, 15)}${data}`;
    const check = checkDigit(
      `${front.slice(5)}${second.slice(0, 7)}${second.slice(8, 15)}${second.slice(18, 29)}`,
    );
    const { valid, fields } = checkMrz([front, `${second.slice(0, 29)}${check}`, third], ERIKA, TODAY);
    expect(valid).toBe(false);
    expect(fields.find(({ field }) => field === 'document.number')?.document).toBe('D23145890');
  });
});

describe('countries', () => {
  test.each([
    ['D', 'DE'],
    ['DEU', 'DE'],
    ['GBR', 'GB'],
    ['GBD', 'GB'],
    ['GBN', 'GB'],
    ['CHE', 'CH'],
    ['ROU', 'RO'],
  ])('%s in the zone is %s in the form', (state, country) => {
    const form = { ...ERIKA, nationalities: ['FR', country] };
    const document = { ...ERIKA.document, issuing_country: country };
    const lines = td3({ issuer: state, nationality: state });
    expect(checkMrz(lines, ERIKA, TODAY).valid).toBe(true);
    expect(differences(lines, { ...form, document })).toEqual([]);
  });

  test.each(['UNO', 'XXA', 'XXB', 'XXX', 'RKS', 'EUE', 'UTO'])('%s is valid and no country', (state) => {
    const lines = td3({ issuer: state, nationality: state });
    expect(checkMrz(lines, ERIKA, TODAY).valid).toBe(true);
    expect(differences(lines, ERIKA)).toEqual([
      `nationalities: ${state} | DE`,
      `document.issuing_country: ${state} | DE`,
    ]);
  });

  test.each(['QQQ', 'DE', '', 'D0<', 'ZZ'])('a state %j that does not exist is not valid', (state) => {
    expect(checkMrz(td3({ issuer: state }), ERIKA, TODAY).valid).toBe(false);
    expect(checkMrz(td3({ nationality: state }), ERIKA, TODAY).valid).toBe(false);
  });
});

test.each([
  ['P', 'passport', td3],
  ['PD', 'passport', td3],
  ['I', 'id_card', td1],
  ['ID', 'id_card', td1],
  ['AR', 'residence_permit', td1],
  ['C', 'residence_permit', td2],
])('a document code %s agrees with the type %s', (code, type, lines) => {
  const form = { ...ERIKA, document: { ...ERIKA.document, type } };
  expect(differences(lines({ code }), form)).toEqual([]);
  const licence = { ...form, document: { ...form.document, type: 'driving_licence' } };
  expect(differences(lines({ code }), licence)).toEqual([`document.type: ${code} | driving_licence`]);
});

test('a visa is not valid', () => {
  expect(checkMrz(td3({ code: 'V' }), ERIKA, TODAY).valid).toBe(false);
  expect(checkMrz(td1({ code: 'IV' }), ERIKA, TODAY).valid).toBe(false);
});

describe('lines that are no zone', () => {
  const nothing = { valid: false, fields: [] };
  test.each<[string, readonly string[]]>([
    ['none', []],
    ['an empty one', ['']],
    ['three empty ones', ['', '', '']],
    ['one of two', td3().slice(0, 1)],
    ['one too many', [...td3(), '<'.repeat(44)]],
    ['two of three', td1().slice(0, 2)],
    ['a character short', td3().map((line) => line.slice(1))],
    ['of different lengths', [td3()[0] ?? '', td2()[1] ?? '']],
    ['with other letters', td3({ names: 'MÜLLER<<ERIKA' })],
    ['with a letter that becomes two', td3({ names: 'STRAßE<<ERIKA' })],
    ['of a French driving licence', ['D1FRA13AA000026181231MARTIN<<9']],
    [
      'of a Swiss driving licence',
      ['AAA001D<<', 'FACHE305142128097<<800126<<<<<', 'MARCHAND<<FABIENNE<<<<<<<<<<<<'],
    ],
  ])('have no fields: %s', (_, lines) => {
    expect(checkMrz(lines, ERIKA, TODAY)).toEqual(nothing);
  });
});

const zoneLine = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'ABCDFPIUTO0123456789<<<'), minLength: length, maxLength: length });
const likeZones = fc.oneof(
  fc.tuple(zoneLine(30), zoneLine(30), zoneLine(30)),
  fc.tuple(zoneLine(36), zoneLine(36)),
  fc.tuple(
    fc.constantFrom('IDFRA').chain((start) => zoneLine(31).map((rest) => start + rest)),
    zoneLine(36),
  ),
  fc.tuple(zoneLine(44), zoneLine(44)),
);
const anyText = fc.string({ unit: 'binary', maxLength: 60 });
const anyForm = fc.record({
  ...{ first_name: anyText, last_name: anyText, middle_names: fc.option(anyText, { nil: undefined }) },
  ...{ date_of_birth: anyText, nationalities: fc.array(anyText) },
  document: fc.record({ type: anyText, number: anyText, issuing_country: anyText, expires_on: anyText }),
});

test('whatever somebody types, nothing throws', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(anyText, zoneLine(30))), anyForm, (lines, form) => {
      const { valid, fields } = checkMrz(lines, form, TODAY);
      expect([typeof valid, Array.isArray(fields)]).toEqual(['boolean', true]);
    }),
  );
});

test('whatever looks like a zone is compared, nothing throws, and by chance it is not valid', () => {
  fc.assert(
    fc.property(likeZones, anyForm, (lines, form) => {
      const { valid, fields } = checkMrz(lines, form, TODAY);
      expect(valid).toBe(false);
      expect(fields.length).toBeGreaterThanOrEqual(5);
    }),
    { numRuns: 500 },
  );
});

const letters = fc.string({
  unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'),
  minLength: 1,
  maxLength: 9,
});
test('a zone made of the form is valid and agrees with it, at all sizes', () => {
  const people = fc.record({
    ...{ last: letters, first: letters, middle: fc.option(letters), number: letters },
    birth: fc.date({ min: new Date('1930-01-01'), max: TODAY, noInvalidDate: true }),
    expiry: fc.date({ min: TODAY, max: new Date('2060-01-01'), noInvalidDate: true }),
    made: fc.constantFrom(['id_card', td1] as const, ['id_card', td2] as const, ['passport', td3] as const),
  });
  const day = (date: Date): string => date.toISOString().slice(0, 10);
  const digits = (date: Date): string => day(date).replaceAll('-', '').slice(2);
  fc.assert(
    fc.property(people, ({ last, first, middle, number, birth, expiry, made: [type, lines] }) => {
      const names = `${last}<<${first}${middle === null ? '' : `<${middle}`}`;
      const zone = lines({ names, number, birth: digits(birth), expiry: digits(expiry) });
      const form = {
        ...{
          first_name: first.toLowerCase(),
          last_name: last,
          date_of_birth: day(birth),
          nationalities: ['DE'],
        },
        ...(middle === null ? {} : { middle_names: middle }),
        document: { type, number, issuing_country: 'DE', expires_on: day(expiry) },
      };
      expect(checkMrz(zone, form, TODAY).valid).toBe(true);
      expect(differences(zone, form)).toEqual([]);
    }),
  );
});
