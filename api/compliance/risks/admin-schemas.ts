/** How customers are rated, on the wire. */
import { z } from 'zod';
import { RISK_CATEGORIES, RISK_FACTOR_CODES, RISK_LEVELS } from '../../../domain/compliance/risk.ts';
import { UserId } from '../../../domain/ids.ts';
import { named, shown } from '../../wire/naming.ts';
import { listOf, Timestamp } from '../../wire/shapes.ts';
import { Line, Reason } from '../../wire/text.ts';
import { EXAMPLE_ID, EXAMPLE_TIME } from '../kyc/schemas.ts';

const Level = z.enum(RISK_LEVELS);
const points = z.int().min(0).max(100).describe('What it adds to the points of a customer.');
const atLeast = z
  .enum(['medium', 'high'])
  .nullable()
  .describe('The lowest rating of a customer of whom it is true, whatever the points.');
const threshold = z
  .string()
  .regex(/^(0|[1-9]\d{0,11})(\.\d{1,4})?$/, 'must be a decimal number as a string, such as "2.5"');
const entries = z.array(Line(60)).max(500);

const FactorFound = named(
  'RiskFactorFound',
  z.strictObject({
    code: z.enum(RISK_FACTOR_CODES),
    points,
    evidence: z.string().describe('What shows that it is true, such as the countries.'),
  }),
  { code: 'high_risk_country', points: 50, evidence: 'MM' },
);

const rating = {
  level: Level.describe(
    'What counts: the override, or else the rating, and never less than the law asks for.',
  ),
  rated: Level.describe('What the factors come to.'),
  points: z.int(),
  factors: z.array(FactorFound).describe('Those that are true of the customer, the heaviest first.'),
};

const Override = z.strictObject({
  level: Level,
  reason: z.string(),
  until: Timestamp,
  by: UserId,
});
const override = Override.nullable().describe(
  'What administrators have decided in the place of the factors.',
);

const ratingExample = {
  ...{ level: 'high' as const, rated: 'high' as const, points: 50, factors: [shown(FactorFound)] },
  override: null,
};

export const CustomerRisk = named(
  'CustomerRisk',
  z.strictObject({
    user_id: UserId,
    ...rating,
    override,
    level_since: Timestamp.nullable(),
    assessed_at: Timestamp.nullable().describe(
      'When the factors were looked at last; null if that is due. It is done once a day, and when something changes.',
    ),
    history: z
      .array(z.strictObject({ at: Timestamp, ...rating, override }))
      .describe('The last 50 ratings, the newest first.'),
  }),
  {
    ...{ user_id: EXAMPLE_ID, ...ratingExample, level_since: EXAMPLE_TIME, assessed_at: EXAMPLE_TIME },
    history: [{ at: EXAMPLE_TIME, ...ratingExample }],
  },
);

export const RiskOverrideRequest = named(
  'RiskOverrideRequest',
  z.strictObject({
    level: Level.nullable().describe('Null ends the override: the factors decide again.'),
    until: Timestamp.nullable()
      .optional()
      .describe('At most 366 days ahead; then the factors decide again. Null, or left out, without a level.'),
    reason: Reason,
  }),
  { level: 'medium', until: '2027-05-31T00:00:00.000Z', reason: 'The turnover is from the sale of a house' },
);

export const RiskFactor = named(
  'RiskFactor',
  z.strictObject({
    code: z.enum(RISK_FACTOR_CODES),
    category: z.enum(RISK_CATEGORIES),
    description: z.string().describe('When it is true of a customer.'),
    points,
    at_least: atLeast,
    by_law: z.boolean().describe('The law asks for `at_least`; it stays, and so does the factor.'),
    threshold: threshold.nullable().describe('From what number on it is true; null if it counts nothing.'),
    entries: entries.nullable().describe('Of what it is true; null if it goes by no list.'),
    enabled: z.boolean(),
    updated_by: UserId.nullable(),
    updated_at: Timestamp,
  }),
  {
    ...{ code: 'high_turnover', category: 'behaviour' as const, points: 15, at_least: null, by_law: false },
    description: 'What was paid and received in 30 days reaches `threshold`, in the base currency.',
    ...{ threshold: '100000', entries: null, enabled: true, updated_by: null, updated_at: EXAMPLE_TIME },
  },
);
export const RiskFactorList = listOf('RiskFactorList', RiskFactor);

export const RiskFactorRequest = named(
  'RiskFactorRequest',
  z.strictObject({
    points: points.optional(),
    at_least: atLeast.optional(),
    threshold: threshold.refine((number) => Number(number) > 0, 'must be greater than zero').optional(),
    entries: entries.optional().describe('Kept sorted, each once.'),
    enabled: z.boolean().optional(),
    reason: Reason,
  }),
  { points: 25, threshold: '50000', reason: 'Annual review of the rating' },
);
