/** The limits of coins, on the wire. */
import { z } from 'zod';
import { COIN_OPERATIONS } from '../../../domain/crypto/limits.ts';
import { named } from '../../wire/naming.ts';
import { listOf, Money } from '../../wire/shapes.ts';

const Limit = z.strictObject({
  kyc_level: z
    .int()
    .min(0)
    .max(9)
    .describe(
      'From this level of the customer on. The highest level that the customer has reached counts, or the lowest one if none is reached.',
    ),
  last_24_hours: Money.nullable().describe(
    'The most in any 24 hours, in the base currency; null is no limit.',
  ),
  last_30_days: Money.nullable().describe('The most in any 30 days, in the base currency; null is no limit.'),
});

const eur = (amount: string) => ({ amount, currency: 'EUR' });
const limits = [
  { kyc_level: 0, last_24_hours: eur('1000.00'), last_30_days: eur('5000.00') },
  { kyc_level: 1, last_24_hours: eur('10000.00'), last_30_days: eur('50000.00') },
];

export const AdminCryptoLimits = named(
  'AdminCryptoLimits',
  z.strictObject({
    operation: z.enum(COIN_OPERATIONS).describe('What the limits are for.'),
    limits: z.array(Limit).describe('By level. An empty list is no limit.'),
  }),
  { operation: 'buy', limits },
);
export const AdminCryptoLimitsList = listOf('AdminCryptoLimitsList', AdminCryptoLimits);

export const AdminCryptoLimitsUpdate = named(
  'AdminCryptoLimitsUpdate',
  z.strictObject({
    limits: z.array(Limit).max(10).describe('Replaces all limits. An empty list is no limit.'),
  }),
  { limits },
);
