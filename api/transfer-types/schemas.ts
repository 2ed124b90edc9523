import { z } from 'zod';
import { named } from '../naming.ts';
import { listOf, MoneyWire } from '../wire.ts';

export const TransferTypeConfig = named(
  'TransferTypeConfig',
  z.strictObject({
    code: z.string(),
    name: z.string(),
    enabled: z.boolean(),
    approval_seconds: z.int().describe('How long a transfer waits for its approval before it expires.'),
    currencies: z.array(
      z.strictObject({
        currency: z.string(),
        approval_above: MoneyWire.describe('An amount above it waits for an administrator.'),
      }),
    ),
  }),
  {
    code: 'internal',
    name: 'Transfer inside the bank',
    enabled: true,
    approval_seconds: 604_800,
    currencies: [{ currency: 'EUR', approval_above: { amount: '10000.00', currency: 'EUR' } }],
  },
);
export const TransferTypeList = listOf('TransferTypeList', TransferTypeConfig);
