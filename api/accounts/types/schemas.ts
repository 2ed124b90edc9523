import { z } from 'zod';
import { MOST_KYC_LEVEL, OPENABLE_BY } from '../../../domain/accounts/accounts.ts';
import { AccountTypeId, FeeRuleId } from '../../../domain/ids.ts';
import { named } from '../../wire/naming.ts';
import { Line } from '../../wire/text.ts';
import { Currency, listOf, Money, Timestamp } from '../../wire/shapes.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const NONE = { amount: '0.00', currency: 'EUR' };

/** What may change later. A new type has no limit where the request names none. */
const changeable = {
  name: Line(80),
  openable_by: z
    .enum(OPENABLE_BY)
    .describe('`customer`: at once; `request`: submit an account open request, which is reviewed.'),
  min_balance: Money.optional().describe(
    'What must stay on an account once it is there. Cannot be combined with an overdraft.',
  ),
  max_balance: Money.nullish().describe('Credits that would go above it are refused; null is no limit.'),
  overdraft_limit: Money.optional().describe('How far below zero the balance may go.'),
  kyc_level_required: z
    .int()
    .min(0)
    .max(MOST_KYC_LEVEL)
    .optional()
    .describe('KYC level that a customer needs to open one: 0 none, 1 basic, 2 full.'),
  monthly_fee_rule_id: FeeRuleId.nullish().describe('The fee rule that is charged each month.'),
  enabled: z.boolean().optional().describe('Only enabled types can be opened; default true.'),
};

export const AccountType = named(
  'AccountType',
  z.strictObject({
    id: AccountTypeId.optional().describe('Given by the service; ignored in a request.'),
    code: z
      .string()
      .regex(/^[a-z][a-z0-9_]{1,39}$/)
      .describe('Cannot be changed later.'),
    currency: Currency.describe('ISO 4217 code. Cannot be changed later.'),
    ...changeable,
    created_at: Timestamp.optional().describe('Ignored in a request.'),
    updated_at: Timestamp.optional().describe('Ignored in a request.'),
  }),
  {
    id: EXAMPLE_ID,
    code: 'current_eur',
    currency: 'EUR',
    name: 'Current account in euro',
    openable_by: 'customer',
    min_balance: NONE,
    max_balance: null,
    overdraft_limit: NONE,
    kyc_level_required: 0,
    monthly_fee_rule_id: null,
    enabled: true,
    created_at: '2026-03-01T09:30:00.000Z',
    updated_at: '2026-03-01T09:30:00.000Z',
  },
);
export const AccountTypeList = listOf('AccountTypeList', AccountType);

export const AccountTypeUpdate = named('AccountTypeUpdate', z.strictObject(changeable).partial(), {
  name: 'Current account in euro',
  max_balance: { amount: '100000.00', currency: 'EUR' },
});
