import { z } from 'zod';
import { AccountTypeId } from '../../domain/ids.ts';
import { named } from '../naming.ts';
import { listOf, MoneyWire } from '../wire.ts';

export const AccountType = named(
  'AccountType',
  z.strictObject({
    id: AccountTypeId,
    code: z.string(),
    name: z.string(),
    currency: z.string(),
    openable_by: z
      .enum(['customer', 'request'])
      .describe('`request`: submit an account open request, which is reviewed.'),
    overdraft_limit: MoneyWire.describe('How far below zero the available balance may go.'),
    max_balance: MoneyWire.nullable().describe(
      'Credits that would go above it are refused; null is no limit.',
    ),
    enabled: z.boolean(),
  }),
  {
    id: '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e',
    code: 'current_eur',
    name: 'Current account in euro',
    currency: 'EUR',
    openable_by: 'customer',
    overdraft_limit: { amount: '0.00', currency: 'EUR' },
    max_balance: null,
    enabled: true,
  },
);
export const AccountTypeList = listOf('AccountTypeList', AccountType);
