import { z } from 'zod';
import { tierModes } from '../../../domain/pricing/fees.ts';
import { AccountTypeId, CardProductId, FeeRuleId, UserId } from '../../../domain/ids.ts';
import { isPlausible } from '../../../domain/time/moments.ts';
import { codec } from '../../wire/codec.ts';
import { named } from '../../wire/naming.ts';
import { Line } from '../../wire/text.ts';
import { Currency, listOf, Money, Timestamp } from '../../wire/shapes.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const eur = (amount: string) => ({ amount, currency: 'EUR' });

/** A moment that request and answer share: read with any offset, written in UTC. */
const Moment = codec(
  z.iso
    .datetime({ offset: true })
    .refine((text) => isPlausible(new Date(text)), { message: 'must lie between 2000 and 2999' }),
  z.date(),
  { decode: (text) => new Date(text), encode: (moment) => moment.toISOString() },
);

/** Basis points as an exact decimal: 100 is one percent. */
const BasisPoints = z
  .string()
  .regex(/^(10000|[1-9]\d{0,3}|0)(\.\d{1,6})?$/, 'must be basis points as a string, such as "12.5"')
  .refine((text) => Number(text) <= 10_000, { message: 'must not be above 10000, which is 100 %' })
  .describe('Basis points as a decimal string: "150" is 1.5 %, "0.5" is 0.005 %.');

/** Which purposes there are, a table says: a newer release may have added one. */
export const Purpose = z.string().regex(/^[a-z][a-z_]{1,39}$/, 'must be the code of a purpose');

const Tier = z.strictObject({
  above: Money.describe('The tier is for what is more than this; this itself belongs to the tier below.'),
  flat: Money.optional(),
  rate_bps: BasisPoints.optional(),
});

/** What a new version may say otherwise than the one before it. */
const changeable = {
  description: Line(140).describe('What customers read on the line.'),
  enabled: z.boolean().optional().describe('false: nothing is charged; default true.'),
  transfer_type: z.string().max(40).nullish().describe('Code of the type it is for; null is every type.'),
  account_type_id: AccountTypeId.nullish().describe('The account type it is for; null is every type.'),
  card_product_id: CardProductId.nullish().describe(
    'The card product whose cards it is for, of a rule with a purpose of cards; null is every product.',
  ),
  priority: z
    .int()
    .min(-1000)
    .max(1000)
    .optional()
    .describe('Among rules of one code that fit, the highest counts; default 0.'),
  flat: Money.optional().describe('A fixed part; default nothing.'),
  rate_bps: BasisPoints.optional(),
  minimum: Money.nullish(),
  maximum: Money.nullish(),
  tier_mode: z
    .enum(tierModes)
    .optional()
    .describe(
      '`graduated` (default): each slice at its tier; `slab`: the whole amount at the tier it ends in.',
    ),
  tiers: z
    .array(Tier)
    .max(50)
    .optional()
    .describe('Ascending. Up to the first one, `flat` and `rate_bps` of the rule itself are charged.'),
  valid_from: Moment.optional().describe('Not in the past; now where it is left out.'),
  valid_to: Moment.nullish().describe('Nothing is charged from then on; null is open.'),
};

const { flat, rate_bps, minimum, maximum, tier_mode, tiers } = changeable;
/** What a rule charges, as customers read it. */
export const tariff = {
  flat: flat.unwrap(),
  rate_bps: rate_bps.unwrap(),
  minimum: minimum.unwrap(),
  maximum: maximum.unwrap(),
  tier_mode: tier_mode.unwrap(),
  tiers: tiers.unwrap(),
};

const example = {
  description: 'Fee for payments abroad',
  enabled: true,
  transfer_type: 'international',
  account_type_id: null,
  card_product_id: null,
  priority: 0,
  flat: eur('1.00'),
  rate_bps: '15',
  minimum: eur('2.50'),
  maximum: eur('50.00'),
  tier_mode: 'graduated' as const,
  tiers: [{ above: eur('10000.00'), flat: eur('0.00'), rate_bps: '10' }],
  valid_from: '2026-03-01T09:30:00.000Z',
  valid_to: null,
};

export const FeeRule = named(
  'FeeRule',
  z.strictObject({
    id: FeeRuleId.optional().describe('Given by the service; ignored in a request.'),
    version: z.int().optional().describe('Given by the service; ignored in a request.'),
    version_in_force: z
      .int()
      .nullish()
      .describe('The version that is charged now, null where none is; ignored in a request.'),
    code: z
      .string()
      .regex(/^[a-z][a-z0-9_]{1,39}$/)
      .describe('Of rules with one code at most one is charged; stands for ever.'),
    purpose: Purpose.optional().describe(
      '`transfer` (default); `monthly`, a flat fee that account types refer to; `card_issue` and `card_replacement`, which are flat and charged with the card; `card_cash`, `card_fx`, `crypto_order`, `crypto_withdrawal`. Stands for ever.',
    ),
    currency: Currency.describe('Of the account that pays, and of all amounts of the rule; stands for ever.'),
    ...changeable,
    created_by: UserId.nullish().describe('Ignored in a request.'),
    created_at: Timestamp.optional().describe('Ignored in a request.'),
  }),
  {
    id: EXAMPLE_ID,
    version: 1,
    version_in_force: 1,
    code: 'transfer_abroad',
    purpose: 'transfer',
    currency: 'EUR',
    ...example,
    created_by: EXAMPLE_ID,
    created_at: '2026-03-01T09:30:00.000Z',
  },
);
export const FeeRuleList = listOf('FeeRuleList', FeeRule);

export const FeeRuleUpdate = named('FeeRuleUpdate', z.strictObject(changeable).partial(), {
  description: 'Fee for payments abroad',
  rate_bps: '12.5',
  maximum: eur('40.00'),
});
