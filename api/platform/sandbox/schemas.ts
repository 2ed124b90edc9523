/** Wire shapes of the operations that only development has. */
import { z } from 'zod';
import { secondsOf } from '../../../domain/time/durations.ts';
import { CATEGORIES } from '../../../domain/notifications/notifications.ts';
import { digest, quietHours } from '../../notifications/schemas.ts';
import { named } from '../../wire/naming.ts';
import { Instant, Timestamp } from '../../wire/shapes.ts';

const LONGEST_SECONDS = 10 * 366 * 86_400;

/** Seconds in code, ISO 8601 on the wire. */
const Advance = z
  .string()
  .transform((text) => secondsOf(text) ?? 0)
  .refine((seconds) => seconds > 0 && seconds <= LONGEST_SECONDS, {
    message: 'must be a duration of at most ten years, such as "PT24H" or "P30D"',
  })
  .describe('How far the clock is moved forward: ISO 8601 without months and years. A day is 24 hours.');

export const ClockMove = named('ClockMove', z.strictObject({ advance: Advance }), { advance: 'PT24H' });

export const Clock = named(
  'Clock',
  z.strictObject({
    now: Timestamp.describe('The time of the bank.'),
    ahead_seconds: z.int().describe('How far it is ahead of the time of the machine.'),
  }),
  { now: '2026-03-01T09:30:00.000Z', ahead_seconds: 86_400 },
);

const LimitPeriod = z.strictObject({
  rule: z.literal('limit_period'),
  at: Instant,
  period: z
    .string()
    .refine(
      (period) =>
        ['transaction', 'day', 'week', 'month', 'ever'].includes(period) || (secondsOf(period) ?? 0) > 0,
      { message: 'must be transaction, day, week, month, ever, or a duration such as "PT24H"' },
    )
    .describe('A period of the calendar in the bank’s time zone, or the length of a rolling window.'),
});

const BusinessDue = z.strictObject({
  rule: z.literal('business_due'),
  at: Instant,
  hours: z.number().min(0).max(10_000),
});

const CardExpiry = z.strictObject({
  rule: z.literal('card_expiry'),
  expiry: z
    .string()
    .regex(/^(0[1-9]|1[0-2])\/\d{2}$/, 'must be MM/YY')
    .describe('As it stands on a card.'),
});

const Delivery = z.strictObject({
  rule: z.literal('delivery'),
  at: Instant,
  category: z.enum(CATEGORIES).describe('What concerns a login does not wait.'),
  quiet_hours: z
    .strictObject({
      ...quietHours,
      time_zone: quietHours.time_zone.optional(),
      enabled: z.boolean().optional(),
    })
    .optional()
    .describe('In the time zone of the bank if none is named; digests follow it too.'),
  digest: z
    .union([z.literal('hourly'), z.strictObject({ hour: digest.hour, weekday: digest.weekday.optional() })])
    .optional()
    .describe('The next full hour, or the next such hour of a day or of a weekday.'),
  ttl: z
    .string()
    .transform((text) => secondsOf(text) ?? 0)
    .refine((seconds) => seconds > 0, { message: 'must be a duration, such as "P3D"' })
    .optional()
    .describe(
      'What waits longer than this for the end of quiet hours is never told; a digest tells it however late.',
    ),
});

export const WhenQuestion = named(
  'WhenQuestion',
  z.discriminatedUnion('rule', [LimitPeriod, BusinessDue, CardExpiry, Delivery]),
  {
    rule: 'limit_period',
    at: '2026-03-29T09:30:00Z',
    period: 'day',
  },
);

export const WhenAnswer = named(
  'WhenAnswer',
  z.union([
    z.strictObject({
      from: Timestamp.nullable().describe('Null if the period has always been.'),
      until: Timestamp.nullable().describe('Null if the period never ends.'),
    }),
    z.strictObject({ until: Timestamp.describe('The first moment at which the card has expired.') }),
    z.strictObject({
      at: Timestamp.nullable().describe('When it is due or told; null if it is never told.'),
    }),
  ]),
  { from: '2026-03-28T23:00:00.000Z', until: '2026-03-29T22:00:00.000Z' },
);
