/** Letters of names as machine-readable zones have them: the tables of ICAO 9303 part 3 section 6, and ISO 843 for Greek. */
import { describe, expect, test } from '@jest/globals';
import { followThrough, zoneSpellings } from '../../../domain/matching/zone-letters.ts';
import { fc } from '../../support/property.ts';

/** "Щ" is "SHCH". */
function isSpelled(word: string, zone: string): boolean {
  const spellings = zoneSpellings(word);
  return spellings !== null && followThrough(spellings, zone.toLowerCase()) === 'whole';
}

const pairs = (text: string): string[][] => text.split(' ').map((pair) => pair.split(':'));

describe('a letter of ICAO 9303', () => {
  test.each(
    pairs(
      'Á:A À:A Â:A Ä:AE Ã:A Ă:A Å:AA Ā:A Ą:A Ć:C Ĉ:C Č:C Ċ:C Ç:C Đ:D Ď:D É:E È:E Ê:E Ë:E Ě:E Ė:E Ē:E Ę:E Ĕ:E Ĝ:G Ğ:G Ġ:G Ģ:G ' +
        'Ħ:H Ĥ:H I:I Í:I Ì:I Î:I Ï:I Ĩ:I İ:I Ī:I Į:I Ĭ:I Ĵ:J Ķ:K Ł:L Ĺ:L Ľ:L Ļ:L Ŀ:L Ń:N Ñ:N Ñ:NXX Ň:N Ņ:N Ŋ:N Ø:OE Ó:O Ò:O ' +
        'Ô:O Ö:OE Õ:O Ő:O Ō:O Ŏ:O Ŕ:R Ř:R Ŗ:R Ś:S Ŝ:S Š:S Ş:S Ť:T Ţ:T Ŧ:T Ú:U Ù:U Û:U Ü:UE Ü:UXX Ũ:U Ŭ:U Ű:U Ů:U Ū:U Ų:U Ŵ:W ' +
        'Ý:Y Ŷ:Y Ÿ:Y Ź:Z Ž:Z Ż:Z Þ:TH Æ:AE Ĳ:IJ Œ:OE ß:SS Ð:D',
    ),
  )('section 6 A, Latin: %s is %s', (letter = '', zone = '') => {
    expect(isSpelled(letter, zone)).toBe(true);
    expect(isSpelled(letter.normalize('NFD'), zone)).toBe(true);
    expect(isSpelled(letter.toLowerCase(), zone)).toBe(true);
  });

  test.each(
    pairs(
      'А:A Б:B В:V Г:G Д:D Е:E Ё:E Ж:ZH З:Z И:I І:I Й:I К:K Л:L М:M Н:N О:O П:P Р:R С:S Т:T У:U Ф:F Х:KH Ц:TS Ч:CH Ш:SH ' +
        'Щ:SHCH Ы:Y Ъ:IE Э:E Ю:IU Я:IA Ґ:G Ў:U Ѫ:U Ѓ:G Ђ:D Ѕ:DZ Ј:J Ќ:K Љ:LJ Њ:NJ Џ:DZ Є:IE Ї:I Ь: ' +
        // Belarusian, Ukrainian, Serbian, Macedonian, Bulgarian
        'Г:H Ё:IO И:Y Є:YE Ї:YI Ж:Z Х:H Ц:C Ч:C Ш:S Ћ:C Ѓ:GJ Ќ:KJ Џ:DJ Щ:SHT',
    ),
  )('section 6 B, Cyrillic: %s is %s', (letter = '', zone = '') => {
    expect(isSpelled(letter, zone)).toBe(true);
    expect(isSpelled(letter.toLowerCase(), zone)).toBe(true);
  });
});

test.each(
  pairs(
    'Αύρα:AVRA Αύτια:AFTIA Εύα:EVA Ευθυμία:EFTHYMIA Αϋλός:AYLOS Μπάμπης:BAMPIS Αγγελος:ANGELOS Αγκυρα:AGKYRA Σφίγξ:SFINX ' +
      'Μελαγχολία:MELANCHOLIA Ντίνος:NTINOS Ουρανία:OURANIA Ξένια:XENIA Ψαλτης:PSALTIS Χρήστος:CHRISTOS Ζωή:ZOI Υακίνθη:YAKINTHI',
  ),
)('ISO 843, Greek: %s is %s', (name = '', zone = '') => {
  expect(isSpelled(name, zone)).toBe(true);
});

test.each(['محمد', 'כהן', '王', '김', 'สมชาย', 'राम', 'Müller王'])('%s has no spelling here', (word) => {
  expect(zoneSpellings(word)).toBeNull();
});

test.each<[string, string, string]>([
  ['Müller', 'mueller', 'whole'],
  ['Müller', 'muell', 'broken_off'],
  ['Müller', 'mue', 'broken_off'],
  ['Müller', '', 'broken_off'],
  ['Müller', 'muellers', 'different'],
  ['Müller', 'meller', 'different'],
  ['Щука', 'shc', 'broken_off'],
  ['', '', 'whole'],
  ['', 'a', 'different'],
])('%j and the zone %j: %s', (name, zone, match) => {
  expect(followThrough(zoneSpellings(name) ?? [], zone)).toBe(match);
});

const names = fc.string({
  unit: fc.constantFrom(...'abcäöüßñåøþşžжщюяєїъѓчцавгд'),
  minLength: 1,
  maxLength: 12,
});
const spelled = names.chain((name) => {
  const spellings = zoneSpellings(name) ?? [];
  return fc.tuple(fc.constant(spellings), fc.tuple(...spellings.map((letter) => fc.constantFrom(...letter))));
});

test('every choice of spellings is the name, and every beginning of it breaks off', () => {
  fc.assert(
    fc.property(spelled, fc.nat(), ([spellings, chosen], cut) => {
      const text = chosen.join('');
      expect(followThrough(spellings, text)).toBe('whole');
      expect(followThrough(spellings, text.slice(0, cut % (text.length + 1)))).not.toBe('different');
      expect(followThrough(spellings, `${text}q`)).toBe('different');
    }),
  );
});

test('a long name with many spellings takes no time', () => {
  const spellings = zoneSpellings('ü'.repeat(2_000)) ?? [];
  const start = performance.now();
  expect(followThrough(spellings, 'u'.repeat(39))).toBe('broken_off');
  expect(performance.now() - start).toBeLessThan(500 * Number(process.env['TEST_PATIENCE'] ?? 1));
});

test('whatever the word, nothing throws', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (word, zone) => {
      const spellings = zoneSpellings(word);
      if (spellings !== null) followThrough(spellings, zone);
    }),
  );
});
