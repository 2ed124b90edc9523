/** Wire schemas of recipients. */
import { z } from 'zod';
import { AccountId, BeneficiaryId, TransferId } from '../../../domain/ids.ts';
import { named } from '../../wire/naming.ts';
import { listOf, Money, Timestamp } from '../../wire/shapes.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';

export const RecentRecipient = named(
  'RecentRecipient',
  z.strictObject({
    kind: z
      .enum(['own', 'customer', 'external'])
      .describe('Your own account, another customer’s, or outside the bank.'),
    account_id: AccountId.nullable().describe(
      '`destination.account_id` of the next transfer; null outside the bank.',
    ),
    beneficiary_id: BeneficiaryId.nullable(),
    name: z
      .string()
      .describe(
        'Your account’s name, a payee as you wrote it, or another customer’s given name and initial.',
      ),
    account_number: z.string().nullable(),
    iban: z.string().nullable(),
    bic: z.string().nullable(),
    country: z.string().nullable(),
    last_type: z.string().describe('Transfer type of the last payment.'),
    last_amount: Money,
    last_used_at: Timestamp,
    last_transfer_id: TransferId,
  }),
  {
    kind: 'customer',
    account_id: EXAMPLE_ID,
    beneficiary_id: null,
    name: 'Anna B.',
    account_number: '100000000287',
    iban: 'DE02100100109307118603',
    bic: null,
    country: null,
    last_type: 'internal',
    last_amount: { amount: '12.34', currency: 'EUR' },
    last_used_at: '2026-03-01T09:30:00.000Z',
    last_transfer_id: EXAMPLE_ID,
  },
);
export const RecentRecipientList = listOf('RecentRecipientList', RecentRecipient);
