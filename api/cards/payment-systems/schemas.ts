import { z } from 'zod';
import { CardPaymentSystemId } from '../../../domain/ids.ts';
import { named } from '../../wire/naming.ts';
import { listOf, Timestamp } from '../../wire/shapes.ts';
import { Line } from '../../wire/text.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';

const Digits = z.string().regex(/^\d{11,18}$/, 'must be a card number without its check digit');

const Range = z.strictObject({
  first: Digits.describe('The first whole number without its check digit.'),
  last: Digits.describe('The last one.'),
  remaining: z.int().min(0).optional().describe('How many are left; ignored in a request.'),
});

/** What may change later. */
const changeable = {
  name: Line(80),
  iin_ranges: z
    .array(Range)
    .max(50)
    .describe('Numbers that cards get. A range of which some are given may grow at its end only.'),
};

export const CardPaymentSystem = named(
  'CardPaymentSystem',
  z.strictObject({
    id: CardPaymentSystemId.optional().describe('Given by the service; ignored in a request.'),
    version: z.int().optional().describe('Counts changes; ignored in a request.'),
    code: z
      .string()
      .regex(/^[a-z][a-z0-9_]{1,39}$/)
      .describe('Cannot be changed later.'),
    pan_length: z
      .int()
      .min(12)
      .max(19)
      .describe('Digits of a card number with its check digit. Cannot be changed later.'),
    ...changeable,
    created_at: Timestamp.optional().describe('Ignored in a request.'),
    updated_at: Timestamp.optional().describe('Ignored in a request.'),
  }),
  {
    id: EXAMPLE_ID,
    version: 1,
    code: 'example_scheme',
    pan_length: 16,
    name: 'Example scheme',
    iin_ranges: [{ first: '999990000000000', last: '999990000999999', remaining: 1_000_000 }],
    created_at: '2026-03-01T09:30:00.000Z',
    updated_at: '2026-03-01T09:30:00.000Z',
  },
);
export const CardPaymentSystemList = listOf('CardPaymentSystemList', CardPaymentSystem);

export const CardPaymentSystemUpdate = named(
  'CardPaymentSystemUpdate',
  z.strictObject(changeable).partial(),
  { name: 'Example scheme' },
);
