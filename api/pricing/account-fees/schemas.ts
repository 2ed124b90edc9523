import { z } from 'zod';
import { accountFeePurposes, accountFeeStatuses } from '../../../domain/pricing/fees.ts';
import { AccountFeeId, AccountId, CardId, FeeRuleId } from '../../../domain/ids.ts';
import { named } from '../../wire/naming.ts';
import { listOf, Money, Timestamp } from '../../wire/shapes.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';

export const AccountFee = named(
  'AccountFee',
  z.strictObject({
    id: AccountFeeId,
    account_id: AccountId,
    month: z.string().describe('`YYYY-MM`: the month that is charged, or in which the card was issued.'),
    purpose: z.enum(accountFeePurposes),
    card_id: CardId.nullable().describe('The card that it is charged for; null for the fee of a month.'),
    fee_rule_id: FeeRuleId,
    fee_rule_version: z.int(),
    amount: Money,
    status: z
      .enum(accountFeeStatuses)
      .describe(
        '`refused` ones are tried again every day, after 30 attempts once a week; `waived`: the account was closed before.',
      ),
    refusal: z
      .string()
      .nullable()
      .describe(
        'Why the books refused it last; `booked_ahead`: the account has an entry ahead of the clock; `error_` and an SQLSTATE: its books are damaged, see `npm run ledger:check`.',
      ),
    attempts: z.int(),
    transaction_id: z.uuid().nullable(),
    created_at: Timestamp,
    tried_at: Timestamp.nullable(),
  }),
  {
    id: EXAMPLE_ID,
    account_id: EXAMPLE_ID,
    month: '2026-03',
    purpose: 'monthly',
    card_id: null,
    fee_rule_id: EXAMPLE_ID,
    fee_rule_version: 1,
    amount: { amount: '4.90', currency: 'EUR' },
    status: 'refused',
    refusal: 'insufficient_funds',
    attempts: 2,
    transaction_id: null,
    created_at: '2026-03-01T02:10:00.000Z',
    tried_at: '2026-03-02T02:10:00.000Z',
  },
);
export const AccountFeeList = listOf('AccountFeeList', AccountFee);
