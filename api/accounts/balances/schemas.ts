/** Wire schemas of balances: what there is now, and what there was. */
import { z } from 'zod';
import { AccountId } from '../../../domain/ids.ts';
import { now } from '../../../domain/time/now.ts';
import { named } from '../../wire/naming.ts';
import { Currency, Instant, Money, Timestamp } from '../../wire/shapes.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const AT = '2026-03-01T00:00:00.000Z';
const eur = (amount: string) => ({ amount, currency: 'EUR' });
const usd = (amount: string) => ({ amount, currency: 'USD' });

/** Most points of one history. */
export const MOST_POINTS = 400;
const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
const HOUR = 3_600_000;
const LENGTHS = { hour: HOUR, day: 24 * HOUR, week: 168 * HOUR, month: 28 * 24 * HOUR } as const;
const DEFAULT_INTERVALS = 30;

/** The name as the time zone database has it; an offset such as +01:00 is no time zone. */
const TimeZone = z
  .string()
  .max(64)
  .regex(/^[A-Za-z]/, 'must be a name such as Europe/Berlin')
  .transform((name, context) => {
    try {
      return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
    } catch {
      context.issues.push({
        code: 'custom',
        message: 'is not a time zone such as Europe/Berlin',
        input: name,
      });
      return z.NEVER;
    }
  });

/** What totals are shown in. */
export const currencyQuery = {
  currency: Currency.optional().describe('Currency of the totals; the bank’s own if it is left out.'),
};

const span = {
  from: Instant.optional().describe(
    `First point; ${DEFAULT_INTERVALS} intervals before \`to\` if it is left out.`,
  ),
  to: Instant.optional().describe('Last point; now if it is left out.'),
  interval: z
    .enum(INTERVALS)
    .default('day')
    .describe('There is a point at the beginning of each; weeks begin on Monday.'),
  time_zone: TimeZone.default('UTC').describe(
    'IANA name, such as `Europe/Berlin`: where hours and days begin.',
  ),
  by: z
    .enum(['booking', 'value'])
    .default('booking')
    .describe('`value`: counts an entry from its value date on, so that a backdated one changes the past.'),
};
type SpanQuery = z.output<z.ZodObject<typeof span>>;

/** The points that are asked for, with what is left out filled in. */
export function spanOf(query: SpanQuery, at: Date): { from: Date; to: Date } {
  const to = query.to ?? at;
  return { from: query.from ?? new Date(to.getTime() - DEFAULT_INTERVALS * LENGTHS[query.interval]), to };
}

function tooMany(query: SpanQuery): boolean {
  const { from, to } = spanOf(query, now());
  return (to.getTime() - from.getTime()) / LENGTHS[query.interval] + 2 > MOST_POINTS;
}

const checked = <Q extends z.ZodObject<typeof span>>(query: Q) =>
  query.check((context) => {
    const fault = (field: string, code: string, message: string): void =>
      void context.issues.push({
        code: 'custom',
        path: [field],
        message,
        input: context.value,
        params: { code },
      });
    const { from, to } = spanOf(context.value, now());
    if (from >= to) fault('from', 'not_before_to', 'must be before `to`');
    if (tooMany(context.value))
      fault(
        'from',
        'too_many_points',
        `asks for more than ${MOST_POINTS} points: ask for less, or a longer interval`,
      );
    if (context.value.by === 'value' && context.value.interval === 'hour')
      fault('interval', 'hours_have_no_value_date', 'value dates are days');
  });

export const historyQuery = checked(z.strictObject(span));
export const allHistoryQuery = checked(z.strictObject({ ...span, ...currencyQuery }));

/** The balance at a moment. */
export const BalancePoint = named(
  'BalancePoint',
  z.strictObject({
    at: Timestamp,
    balance: Money.describe(
      'Of everything booked until then; by value date, of everything that counts until the end of that day.',
    ),
  }),
  { at: AT, balance: eur('1250.00') },
);

const asked = {
  from: Timestamp,
  to: Timestamp,
  interval: z.enum(INTERVALS),
  time_zone: z.string(),
  by: z.enum(['booking', 'value']),
};
const askedExample = { from: AT, to: AT, interval: 'day', time_zone: 'UTC', by: 'booking' } as const;

export const BalanceHistory = named(
  'BalanceHistory',
  z.strictObject({ account_id: AccountId, currency: z.string(), ...asked, points: z.array(BalancePoint) }),
  { account_id: EXAMPLE_ID, currency: 'EUR', ...askedExample, points: [{ at: AT, balance: eur('1250.00') }] },
);

/** What something is worth in another currency. */
export const Converted = z
  .strictObject({
    amount: Money,
    rate: z
      .string()
      .describe('Units of the other currency for one unit; the mid rate, to show and not to trade at.'),
    rate_at: Timestamp.nullable().describe('Since when the rate is valid; null if nothing was converted.'),
    stale: z.boolean().describe('The rate is too old to convert money by.'),
  })
  .nullable()
  .describe('null if no rate is known.');
const converted = { amount: eur('92.40'), rate: '0.924', rate_at: AT, stale: false };

const without = z.array(z.string()).describe('Currencies that the total lacks, because no rate is known.');

export const AllAccountsBalanceHistory = named(
  'AllAccountsBalanceHistory',
  z.strictObject({
    ...asked,
    currency: z.string().describe('Currency of the totals.'),
    currencies: z.array(
      z.strictObject({
        currency: z.string(),
        points: z.array(z.strictObject({ at: Timestamp, balance: Money, converted: Converted })),
      }),
    ),
    totals: z.array(z.strictObject({ at: Timestamp, total: Money, without })),
  }),
  {
    ...askedExample,
    currency: 'EUR',
    currencies: [{ currency: 'USD', points: [{ at: AT, balance: usd('100.00'), converted }] }],
    totals: [{ at: AT, total: eur('92.40'), without: [] }],
  },
);

export const AccountsSummary = named(
  'AccountsSummary',
  z.strictObject({
    as_of: Timestamp,
    currency: z.string().describe('Currency of the total.'),
    currencies: z.array(
      z.strictObject({
        currency: z.string(),
        accounts: z.int().min(1),
        balance: Money,
        held: Money,
        available: Money,
        converted: Converted,
      }),
    ),
    total: Money.describe('Sum of the balances, converted.'),
    without,
  }),
  {
    as_of: AT,
    currency: 'EUR',
    currencies: [
      {
        currency: 'USD',
        accounts: 1,
        balance: usd('100.00'),
        held: usd('0.00'),
        available: usd('100.00'),
        converted,
      },
    ],
    total: eur('92.40'),
    without: [],
  },
);
