/** What a birth date, a gender, a country or an identifier does to the score of a name. */
import { describe, expect, test } from '@jest/globals';
import { compare, prepareAsked, prepareEntry, type Comparison } from '../../../domain/matching/compare.ts';
import type { Details } from '../../../domain/matching/evidence.ts';

const nothing: Details = { birthDates: [], gender: null, nationalities: [], countries: [], identifiers: [] };
const day = (text: string) => [{ from: text, to: text }];
const year = (text: string) => [{ from: `${text}-01-01`, to: `${text}-12-31` }];

function judge(asked: Partial<Details>, listed: Partial<Details>, name = 'Dragan Vasiljkovic'): Comparison {
  return compare(
    prepareAsked({ kind: 'person', name, details: { ...nothing, ...asked } }),
    prepareEntry({
      kind: 'person',
      names: [{ name: 'Dragan Vasiljkovic', quality: 'primary' }],
      details: { ...nothing, ...listed },
    }),
  );
}

describe('evidence beside the name', () => {
  test('a birth date that agrees or is absent leaves the score, and agreement ranks first', () => {
    const agreed = judge({ birthDates: day('1970-05-06') }, { birthDates: day('1970-05-06') });
    const absent = judge({}, { birthDates: day('1970-05-06') });
    expect([agreed.score, absent.score]).toEqual([100, 100]);
    expect(agreed.rank).toBeGreaterThan(absent.rank);
  });

  test('one of several listed birth dates is enough', () => {
    const listed = [...day('1965-01-01'), ...day('1970-05-06')];
    expect(judge({ birthDates: day('1970-05-06') }, { birthDates: listed }).score).toBe(100);
  });

  test.each([
    ['day and month are exchanged', day('1970-06-05'), -10, -1],
    ['only a year is known, one away', year('1971'), -10, -1],
    ['only a year is known, two away', year('1972'), -25, -15],
    ['only a year is known, twenty away', year('1990'), -25, -15],
    ['two whole dates differ', day('1970-05-07'), -100, -35],
  ])('%s', (_, listed, least, most) => {
    const effect = judge({ birthDates: day('1970-05-06') }, { birthDates: listed }).score - 100;
    expect(effect).toBeGreaterThanOrEqual(least);
    expect(effect).toBeLessThanOrEqual(most);
  });

  test('a year that differs does not clear an exact name alone, and a whole date does', () => {
    expect(
      judge({ birthDates: day('1970-05-06') }, { birthDates: year('1990') }).score,
    ).toBeGreaterThanOrEqual(70);
    expect(judge({ birthDates: day('1970-05-06') }, { birthDates: day('1990-01-01') }).score).toBeLessThan(
      70,
    );
  });

  test.each([
    ['gender', { gender: 'female' }, { gender: 'male' }],
    ['nationality', { nationalities: ['DE'] }, { nationalities: ['RS', 'HR'] }],
    ['country', { countries: ['DE'] }, { countries: ['RS'] }],
  ])('another %s costs ten to twenty', (_, asked, listed) => {
    const effect = judge(asked, listed).score - 100;
    expect(effect).toBeGreaterThanOrEqual(-20);
    expect(effect).toBeLessThanOrEqual(-10);
  });

  test('the same identifier is at least 85 whatever the name, and a tax number 95', () => {
    const passport = judge(
      { identifiers: [{ type: 'passport', value: 'ab 12-34 567' }] },
      { identifiers: [{ type: 'passport', value: 'AB1234567' }] },
      'Somebody Else',
    );
    const tax = judge(
      { identifiers: [{ type: 'tax_number', value: '99887766' }] },
      { identifiers: [{ type: 'tax_number', value: '998 877 66' }] },
      'Somebody Else',
    );
    expect([passport.score, tax.score]).toEqual([85, 95]);
  });

  test('the explanation names the words that met and what spoke against', () => {
    const { explanation } = judge({ birthDates: day('1970-05-06') }, { birthDates: day('1990-01-01') });
    expect(explanation.words.map(({ asked, how }) => [asked, how])).toEqual([
      ['Dragan', 'same'],
      ['Vasiljkovic', 'same'],
    ]);
    expect(explanation.evidence.map(({ code }) => code)).toEqual(['birth_date_differs']);
    expect(explanation.summary).toContain('the dates of birth differ');
  });
});
