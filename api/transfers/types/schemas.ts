import { z } from 'zod';
import { limitSubjects } from '../../../domain/transfers/limits.ts';
import { transferReaches } from '../../../domain/transfers/transfers.ts';
import { named } from '../../wire/naming.ts';
import { Line } from '../../wire/text.ts';
import { Currency, listOf, Money, Timestamp } from '../../wire/shapes.ts';

const Limit = z.strictObject({
  currency: Currency,
  kyc_level: z
    .int()
    .min(0)
    .max(9)
    .describe(
      'From this level of the customer on; the highest level reached counts, or the lowest where none is reached.',
    ),
  subject: z
    .enum(limitSubjects)
    .describe(
      'Counted together: all transfers of the customer, those out of one account, those to one recipient.',
    ),
  single: Money.nullable().describe('The most for one transfer; null is no limit.'),
  day: Money.nullable().describe('The most in a day of the bank’s time zone.'),
  month: Money.nullable().describe('The most in a calendar month of it.'),
});

/** What can be configured. */
const changeable = {
  name: Line(80),
  enabled: z.boolean(),
  approval_seconds: z
    .int()
    .min(1)
    .max(31_536_000)
    .describe('How long a transfer waits for its approval before it expires.'),
  cut_off: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, such as "16:00"')
    .nullable()
    .describe('After it, what leaves the bank waits for the next day; null is no such time.'),
  cut_off_zone: z
    .string()
    .max(60)
    .regex(
      /^(UTC|[A-Z][A-Za-z_-]+(\/[A-Z][A-Za-z0-9_+-]+)+)$/,
      'must be a time zone, such as "Europe/Berlin"',
    )
    .describe('IANA time zone of the cut-off and of business days.'),
  business_days_only: z
    .boolean()
    .describe('What leaves the bank waits for a business day (TARGET calendar).'),
  currencies: z
    .array(
      z.strictObject({
        currency: Currency,
        approval_above: Money.describe('An amount above it waits for an administrator.'),
      }),
    )
    .max(200)
    .describe('The currencies of the paying account that it is offered in.'),
  limits: z.array(Limit).max(500).describe('Amounts in the currency of the paying account, without fees.'),
};

const eur = (amount: string) => ({ amount, currency: 'EUR' });
const example = {
  name: 'SEPA credit transfer',
  enabled: true,
  approval_seconds: 604_800,
  cut_off: '16:00',
  cut_off_zone: 'Europe/Berlin',
  business_days_only: true,
  currencies: [{ currency: 'EUR', approval_above: eur('10000.00') }],
  limits: [
    {
      currency: 'EUR',
      kyc_level: 1,
      subject: 'user' as const,
      single: eur('15000.00'),
      day: eur('25000.00'),
      month: null,
    },
  ],
};

export const TransferTypeConfig = named(
  'TransferTypeConfig',
  z.strictObject({
    code: z.string(),
    reach: z.enum(transferReaches).describe('Whom it reaches; `sepa` and `international` leave the bank.'),
    ...changeable,
    updated_at: Timestamp,
  }),
  { code: 'sepa', reach: 'sepa', ...example, updated_at: '2026-03-01T09:30:00.000Z' },
);
export const TransferTypeList = listOf('TransferTypeList', TransferTypeConfig);

export const TransferTypeUpdate = named('TransferTypeUpdate', z.strictObject(changeable).partial(), example);
