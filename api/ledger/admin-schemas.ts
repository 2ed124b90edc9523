/** Wire schema of the trial balance. */
import { z } from 'zod';
import { named } from '../wire/naming.ts';
import { Holding, Instant, Timestamp } from '../wire/shapes.ts';

const eur = (amount: string) => ({ amount, currency: 'EUR' });

export const trialBalanceQuery = z.strictObject({
  as_of: Instant.optional().describe('Counts what was booked until then; now if it is left out.'),
});

export const TrialBalance = named(
  'TrialBalance',
  z.strictObject({
    as_of: Timestamp,
    balanced: z.boolean().describe('Debits and credits are equal in every currency and every other asset.'),
    lines: z.array(
      z.strictObject({
        account: z
          .string()
          .describe('`customers`, or what the bank’s own accounts are for: `fees`, `clearing`, …'),
        accounts: z.int().min(0).describe('How many accounts have ever had a movement.'),
        debit: Holding.describe('Sum of the balances below zero.'),
        credit: Holding.describe('Sum of the balances above zero.'),
      }),
    ),
    totals: z
      .array(z.strictObject({ debit: Holding, credit: Holding }))
      .describe('One for each currency, and for whatever else the books hold.'),
  }),
  {
    as_of: '2026-03-01T09:30:00.000Z',
    balanced: true,
    lines: [
      { account: 'adjustments', accounts: 3, debit: eur('100.00'), credit: eur('0.00') },
      { account: 'customers', accounts: 12, debit: eur('0.00'), credit: eur('100.00') },
    ],
    totals: [{ debit: eur('100.00'), credit: eur('100.00') }],
  },
);
