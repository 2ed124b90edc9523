import { z } from 'zod';
import {
  CARD_CHANNELS,
  CARD_FEE_PURPOSES,
  CARD_KINDS,
  CONTROL_MODES,
  CONTROL_TYPES,
  isLimitPeriod,
  LIMIT_SCOPES,
  SCA_MODES,
} from '../../../domain/cards/products.ts';
import { AccountTypeId, CardPaymentSystemId, CardProductId } from '../../../domain/ids.ts';
import { isCountry } from '../../../domain/standards/countries.ts';
import { tariff } from '../../pricing/fee-rules/schemas.ts';
import { named } from '../../wire/naming.ts';
import { Amount, Currency, listOf, Money, Timestamp } from '../../wire/shapes.ts';
import { Line } from '../../wire/text.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const eur = (amount: string) => ({ amount, currency: 'EUR' });

const Category = z.string().regex(/^\d{4}$/, 'must be the four digits of a merchant category (ISO 18245)');

const VALUES = {
  channel: (value: string) => CARD_CHANNELS.some((channel) => channel === value),
  category: (value: string) => /^\d{4}$/.test(value),
  country: isCountry,
  merchant: (value: string) => /^[\x21-\x7e]{1,40}$/.test(value),
} as const;

/** A control of a card or a product, with the values that fit its type. */
export const control = {
  type: z
    .enum(CONTROL_TYPES)
    .describe(
      '`channel`: chip, contactless, magstripe, ecommerce, manual, recurring or cash; `category`: a merchant category of ISO 18245; `country`: of ISO 3166-1; `merchant`: the id that the network gives.',
    ),
  mode: z.enum(CONTROL_MODES).describe('`allow`: only these values; `block`: all but these.'),
  values: z.array(z.string().max(40)).min(1).max(500),
};

/** Refuses a control with a value that its type does not have. */
export const fitsType = ({ type, values }: { type: keyof typeof VALUES; values: string[] }): boolean =>
  values.every((value) => VALUES[type](value));
export const FITS_TYPE = { path: ['values'], message: 'must be values of the type' };

/** A limit of a card or a product. */
export const limit = {
  period: z
    .string()
    .max(20)
    .refine(isLimitPeriod, { message: 'must be a period or a duration such as "PT24H"' })
    .describe(
      '`transaction`; `day`, `week` or `month` of the bank’s calendar; `ever`; or a rolling window as an ISO 8601 duration.',
    ),
  scope: z
    .union([z.enum(LIMIT_SCOPES), z.strictObject({ mcc: z.array(Category).min(1).max(100) })])
    .optional()
    .describe(
      'Which payments it counts: `all` (default), `purchase`, `cash`, `online`, `contactless`, or those at merchants of these categories.',
    ),
  amount: Amount.nullish().describe('In the currency of the card; null is no limit.'),
  count: z.int().min(0).max(1_000_000).nullish().describe('Payments; null is no limit.'),
};
/** Refuses a limit that limits nothing. */
export const limitsSomething = (wanted: { amount?: unknown; count?: unknown }): boolean =>
  wanted.amount != null || wanted.count != null;
export const LIMITS_SOMETHING = { path: ['amount'], message: 'or a count is needed' };

const customer_may_loosen = z
  .boolean()
  .optional()
  .describe('Whether the holder of a card may set it otherwise; default false.');

const HoldRule = z.strictObject({
  mcc: z.array(Category).min(1).max(200).describe('Merchant categories that it is for.'),
  days: z.int().min(1).max(31).describe('How long a payment is held if no clearing comes.'),
  amount: Amount.nullish().describe('Held for a payment whose sum is not known yet, such as fuel.'),
  percent: z
    .string()
    .regex(/^\d{1,3}(\.\d{1,2})?$/, 'must be a percentage as a string, such as "20"')
    .nullish()
    .describe('Held on top, such as the tip of a restaurant.'),
});

const Sca = z.strictObject({
  mode: z
    .enum(SCA_MODES)
    .describe('What is counted since the customer last proved who they are; `off` counts nothing.'),
  amount: Amount.nullish(),
  count: z.int().min(1).max(100).nullish(),
  remote: z
    .strictObject({ amount: Amount.optional(), count: z.int().min(1).max(100).optional() })
    .optional()
    .describe(
      'Payments without the card at hand; default 100 in the currency of the card, and five of them.',
    ),
});

/** What a version says. */
const said = {
  name: Line(80),
  enabled: z.boolean().optional().describe('Only enabled products are issued; default true.'),
  account_type_ids: z
    .array(AccountTypeId)
    .max(100)
    .optional()
    .describe('Types of the accounts that its cards may belong to; none is every type in the currency.'),
  validity_months: z.int().min(1).max(120).optional().describe('Default 48.'),
  hold_rules: z
    .array(HoldRule)
    .max(50)
    .optional()
    .describe('For categories that are not named, CARD_HOLD_DAYS.'),
  controls: z
    .array(z.strictObject({ ...control, customer_may_loosen }).refine(fitsType, FITS_TYPE))
    .max(20)
    .optional(),
  limits: z
    .array(z.strictObject({ ...limit, customer_may_loosen }).refine(limitsSomething, LIMITS_SOMETHING))
    .max(30)
    .optional(),
  sca: Sca.optional().describe('Default: after five payments.'),
  pin_tries: z.int().min(1).max(10).optional().describe('Wrong PINs until it is locked; default 3.'),
  stand_in_limit: Money.optional().describe(
    'Up to how much the network may approve a payment while the bank is away; default nothing.',
  ),
};

const stands = {
  code: z
    .string()
    .regex(/^[a-z][a-z0-9_]{1,39}$/)
    .describe('Cannot be changed later.'),
  kind: z.enum(CARD_KINDS).describe('Cannot be changed later.'),
  payment_system_id: CardPaymentSystemId.describe('Cannot be changed later.'),
  currency: Currency.describe(
    'Of the accounts that its cards belong to, and of all its amounts. Cannot be changed later.',
  ),
};

const example = {
  name: 'Everyday card',
  enabled: true,
  account_type_ids: [],
  validity_months: 48,
  hold_rules: [{ mcc: ['5542'], days: 3, amount: eur('100.00'), percent: null }],
  controls: [
    { type: 'country' as const, mode: 'block' as const, values: ['KP'], customer_may_loosen: false },
  ],
  limits: [
    {
      ...{ period: 'day', scope: 'all' as const, amount: eur('2000.00'), count: null },
      customer_may_loosen: true,
    },
  ],
  sca: {
    ...{ mode: 'amount' as const, amount: eur('150.00'), count: null },
    remote: { amount: eur('100.00'), count: 5 },
  },
  pin_tries: 3,
  stand_in_limit: eur('50.00'),
};

export const AdminCardProduct = named(
  'AdminCardProduct',
  z.strictObject({
    id: CardProductId.optional().describe('Given by the service; ignored in a request.'),
    version: z.int().optional().describe('Counts changes; ignored in a request.'),
    ...stands,
    ...said,
    created_at: Timestamp.optional().describe('Ignored in a request.'),
    updated_at: Timestamp.optional().describe('Ignored in a request.'),
  }),
  {
    id: EXAMPLE_ID,
    version: 1,
    code: 'everyday_eur',
    kind: 'virtual',
    payment_system_id: EXAMPLE_ID,
    currency: 'EUR',
    ...example,
    created_at: '2026-03-01T09:30:00.000Z',
    updated_at: '2026-03-01T09:30:00.000Z',
  },
);
export const AdminCardProductList = listOf('AdminCardProductList', AdminCardProduct);

const apply_to_issued = z
  .boolean()
  .describe('Whether cards that are issued get this version too; default false.');

export const CardProductUpdate = named(
  'CardProductUpdate',
  z.strictObject({ ...said, apply_to_issued }).partial(),
  {
    name: 'Everyday card',
    stand_in_limit: eur('0.00'),
  },
);

const { code, kind, currency } = stands;
const { name, validity_months, account_type_ids, controls, limits } = said;

export const CardFee = named(
  'CardFee',
  z.strictObject({
    purpose: z
      .enum(CARD_FEE_PURPOSES)
      .describe(
        '`card_issue` and `card_replacement` are charged with the card; `card_cash` for cash, and `card_fx` for payments in another currency, with the payment.',
      ),
    description: z.string().describe('What the line on the statement says.'),
    ...tariff,
  }),
  {
    purpose: 'card_replacement',
    description: 'Replacement card',
    flat: eur('7.50'),
    rate_bps: '0',
    minimum: null,
    maximum: null,
    tier_mode: 'graduated',
    tiers: [],
  },
);

export const CardProduct = named(
  'CardProduct',
  z.strictObject({
    id: CardProductId,
    ...{ code, name, kind, currency },
    payment_system: z.strictObject({ code: z.string(), name: z.string() }),
    validity_months: validity_months.unwrap(),
    account_type_ids: account_type_ids.unwrap(),
    controls: controls.unwrap(),
    limits: limits.unwrap(),
    fees: z.array(CardFee).describe('All fees that are charged now for a card of the product.'),
  }),
  {
    ...{ id: EXAMPLE_ID, code: 'everyday_eur', name: example.name, kind: 'virtual', currency: 'EUR' },
    payment_system: { code: 'example_scheme', name: 'Example scheme' },
    validity_months: 48,
    account_type_ids: [],
    controls: example.controls,
    limits: example.limits,
    fees: [],
  },
);
export const CardProductList = listOf('CardProductList', CardProduct);

/** What of a new product its first version says. */
export function termsOf(product: z.output<typeof AdminCardProduct>) {
  const { name, enabled, account_type_ids, validity_months, hold_rules, controls, limits, sca } = product;
  const { pin_tries, stand_in_limit } = product;
  return {
    ...{ name, enabled, account_type_ids, validity_months, hold_rules, controls, limits, sca },
    ...{ pin_tries, stand_in_limit },
  };
}
