/** Wire shapes of name screening. */
import { z } from 'zod';
import { isCountry } from '../../../domain/standards/countries.ts';
import { named, shown } from '../../wire/naming.ts';
import { Line } from '../../wire/text.ts';

const ENTRY_KINDS = ['person', 'company', 'vessel', 'aircraft'] as const;
const QUALITIES = ['primary', 'alias', 'weak'] as const;
const HOW = ['same', 'transliteration', 'spelling', 'short_form', 'same_name', 'initial', 'joined'] as const;
const EVIDENCE = [
  'birth_date_agrees',
  'birth_day_and_month_exchanged',
  'birth_year_near',
  'birth_year_differs',
  'birth_date_differs',
  'other_gender',
  'other_country',
  'other_nationality',
  'other_kind',
  'same_identifier',
] as const;

const Country = z
  .string()
  .toUpperCase()
  .refine(isCountry, { message: 'must be a country code of ISO 3166-1, such as "DE"' });

const DayOrYear = z
  .string()
  .regex(/^\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?$/, 'must be a day, a month or a year')
  .describe('A day, such as "1970-05-06"; a month or a year if no more is known.');

const Identifier = z.strictObject({
  type: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,39}$/)
    .describe('Such as `passport`, `id_card`, `tax_number`, `lei`, `bic`, `imo`, `crypto_address`.'),
  value: z.string().min(1).max(200),
});

const details = {
  birth_date: DayOrYear.nullish(),
  gender: z.enum(['female', 'male']).nullish(),
  nationality: Country.nullish(),
  country: Country.nullish(),
  identifiers: z.array(Identifier).max(50).optional(),
};

export const ScreeningSubject = named(
  'ScreeningSubject',
  z.strictObject({
    kind: z.enum(['person', 'company']),
    name: Line(300).describe('The whole name in any script and order.'),
    ...details,
  }),
  { kind: 'person', name: 'Dragan Vasiljković', birth_date: '1970-05-06', nationality: 'RS' },
);

export const ScreeningEntry = named(
  'ScreeningEntry',
  z.strictObject({
    kind: z.enum(ENTRY_KINDS),
    names: z
      .array(z.strictObject({ name: Line(500), quality: z.enum(QUALITIES).optional() }))
      .min(1)
      .max(500)
      .describe('A weak alias counts only if all its words are equal, and then at most 80.'),
    birth_dates: z
      .array(z.strictObject({ from: DayOrYear, to: DayOrYear }))
      .max(50)
      .optional()
      .describe('A year is its first to its last day. One date that agrees is enough.'),
    ...details,
  }),
  {
    kind: 'person',
    names: [{ name: 'VASILJKOVIC, Dragan', quality: 'primary' }],
    birth_dates: [{ from: '1970-01-01', to: '1970-12-31' }],
  },
);

export const ScreeningExplanation = named(
  'ScreeningExplanation',
  z.strictObject({
    summary: z.string().describe('One sentence for people.'),
    name: z.string().describe('The name of the entry that met best.'),
    quality: z.enum(QUALITIES),
    name_score: z.int().describe('What the name alone is worth, between 0 and 100.'),
    words: z
      .array(
        z.strictObject({
          asked: z.string(),
          listed: z.string(),
          how: z.enum(HOW),
          score: z.number().describe('Between 0 and 1.'),
        }),
      )
      .describe('Which words met, and how.'),
    only_asked: z.array(z.string()).describe('Words that the entry does not have.'),
    only_listed: z.array(z.string()).describe('Words that only the entry has.'),
    evidence: z
      .array(
        z.strictObject({
          code: z.enum(EVIDENCE),
          effect: z.int().describe('What it adds to the score.'),
          at_least: z.int().nullable().describe('The score that it raises to, whatever the name.'),
          asked: z.string(),
          listed: z.string(),
        }),
      )
      .describe('What else speaks for or against it.'),
  }),
  {
    summary:
      '"Dragan Vasiljković" is compared with "VASILJKOVIC, Dragan": 100 of 100; the date of birth agrees.',
    name: 'VASILJKOVIC, Dragan',
    quality: 'primary',
    name_score: 100,
    words: [
      { asked: 'Dragan', listed: 'Dragan', how: 'same', score: 1 },
      { asked: 'Vasiljković', listed: 'VASILJKOVIC', how: 'same', score: 1 },
    ],
    only_asked: [],
    only_listed: [],
    evidence: [
      {
        code: 'birth_date_agrees',
        effect: 0,
        at_least: null,
        asked: '1970-05-06',
        listed: '1970-01-01 to 1970-12-31',
      },
    ],
  },
);

const judged = {
  score: z.int().min(0).max(100),
  hit: z.boolean().describe('Whether the score reaches `AML_MATCH_THRESHOLD`.'),
  explanation: ScreeningExplanation,
};

export const ScreeningComparison = named(
  'ScreeningComparison',
  z.strictObject({
    pairs: z
      .array(z.strictObject({ asked: ScreeningSubject, entry: ScreeningEntry }))
      .min(1)
      .max(1000),
  }),
  {
    pairs: [
      {
        asked: { kind: 'person', name: 'Dragan Vasiljković', birth_date: '1970-05-06' },
        entry: {
          kind: 'person',
          names: [{ name: 'VASILJKOVIC, Dragan', quality: 'primary' }],
          birth_dates: [{ from: '1970-01-01', to: '1970-12-31' }],
        },
      },
    ],
  },
);

export const ScreeningComparisonAnswer = named(
  'ScreeningComparisonAnswer',
  z.strictObject({
    results: z.array(z.strictObject(judged)).describe('In the order of the pairs.'),
  }),
  { results: [{ score: 100, hit: true, explanation: shown(ScreeningExplanation) }] },
);
