import { z } from 'zod';
import { fxRateStatuses, RATE_DIGITS, significantDigits } from '../../../domain/exchange.ts';
import { FxRateId, UserId } from '../../../domain/ids.ts';
import { named } from '../../wire/naming.ts';
import { Line } from '../../wire/text.ts';
import { Instant, listOf, Timestamp } from '../../wire/shapes.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';

const Rate = z
  .string()
  .regex(/^(0|[1-9]\d{0,17})(\.\d{1,36})?$/, 'must be a decimal number as a string, such as "1.0825"')
  .refine((text) => /[1-9]/.test(text), { message: 'must be greater than zero' })
  .refine((text) => significantDigits(text) <= RATE_DIGITS, {
    message: `must have at most ${RATE_DIGITS} significant digits`,
    params: { code: 'too_many_digits' },
  })
  .describe('One unit of the base currency in units of the quote currency; up to 18 significant digits.');

const Spread = z
  .string()
  .regex(
    /^(0|[1-9]\d{0,2}|[1-4]\d{3})(\.\d{1,4})?$/,
    'must be basis points below 5000 as a string, such as "25"',
  )
  .describe('What the bank keeps of a conversion, in basis points of the mid rate: "25" is 0.25 %.');

const Source = Line(80);

export const FxRate = named(
  'FxRate',
  z.strictObject({
    id: FxRateId,
    base: z.string(),
    quote: z.string(),
    rate: z.string().describe('One unit of the base currency in units of the quote currency.'),
    spread_bps: Spread,
    valid_from: Timestamp,
    valid_until: Timestamp.nullable().describe('Null: until the service’s age for rates is reached.'),
    source: z.string().describe('Where it comes from.'),
    status: z
      .enum(fxRateStatuses)
      .describe(
        '`current` is used; a newer one supersedes it; a `stale` one is refused, not replaced by an older one.',
      ),
    created_by: UserId.nullable(),
    created_at: Timestamp,
  }),
  {
    id: EXAMPLE_ID,
    base: 'EUR',
    quote: 'USD',
    rate: '1.0825',
    spread_bps: '25',
    valid_from: '2026-03-01T09:30:00.000Z',
    valid_until: '2026-03-01T10:30:00.000Z',
    source: 'treasury desk',
    status: 'current',
    created_by: EXAMPLE_ID,
    created_at: '2026-03-01T09:30:00.000Z',
  },
);
export const FxRateList = listOf('FxRateList', FxRate);

export const FxRateUpdate = named(
  'FxRateUpdate',
  z.strictObject({
    rate: Rate,
    spread_bps: Spread.optional().describe('Left out: that of the rate before it, else none.'),
    valid_from: Instant.optional().describe('Now where it is left out.'),
    valid_until: Instant.nullish().describe(
      'After it the rate is refused. Left out: until the service’s age for rates is reached.',
    ),
    source: Source.optional().describe('Where it comes from; default `manual`.'),
  }),
  { rate: '1.0825', spread_bps: '25', source: 'treasury desk' },
);
