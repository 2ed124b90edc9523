import { z } from 'zod';
import { AccountId, AccountTypeId } from '../../domain/ids.ts';
import { named } from '../naming.ts';
import { listOf, MoneyWire, Timestamp } from '../wire.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';

/** What the owner calls an account: any script, no control characters. */
const Nickname = z
  .string()
  .normalize('NFC')
  .trim()
  .min(1)
  .max(60)
  .regex(/^[^\p{Cc}\p{Cf}]*$/u, 'must not hold control characters');

export const OpenAccountRequest = named(
  'OpenAccountRequest',
  z.strictObject({ account_type_id: AccountTypeId, nickname: Nickname.optional() }),
  { account_type_id: EXAMPLE_ID, nickname: 'Household' },
);

const account = {
  id: AccountId,
  number: z.string().describe('Twelve digits, the last two of them check digits (ISO 7064 mod 97-10).'),
  nickname: z.string().nullable(),
  status: z
    .enum(['open', 'blocked', 'frozen', 'closed'])
    .describe('`blocked`: no debits; `frozen`: no movement; `closed`: for ever.'),
  type: z.strictObject({ id: AccountTypeId, code: z.string(), name: z.string() }),
  currency: z.string(),
  balance: MoneyWire.describe('Sum of everything booked.'),
  held: MoneyWire.describe('Reserved for pending transfers.'),
  available: MoneyWire.describe('What can be spent: balance less held, plus the overdraft limit.'),
  opened_at: Timestamp,
};
const example = {
  id: EXAMPLE_ID,
  number: '100000000190',
  nickname: 'Household',
  status: 'open' as const,
  type: { id: EXAMPLE_ID, code: 'current_eur', name: 'Current account in euro' },
  currency: 'EUR',
  balance: { amount: '1250.00', currency: 'EUR' },
  held: { amount: '200.00', currency: 'EUR' },
  available: { amount: '1050.00', currency: 'EUR' },
  opened_at: '2026-03-01T09:30:00.000Z',
};

export const UserAccount = named('UserAccount', z.strictObject(account), example);
export const UserAccountList = listOf('UserAccountList', UserAccount);
export const UserAccountDetail = named(
  'UserAccountDetail',
  z.strictObject({
    ...account,
    overdraft_limit: MoneyWire,
    max_balance: MoneyWire.nullable().describe(
      'Credits that would go above it are refused; null is no limit.',
    ),
    closed_at: Timestamp.nullable(),
  }),
  { ...example, overdraft_limit: { amount: '0.00', currency: 'EUR' }, max_balance: null, closed_at: null },
);

export const Transaction = named(
  'Transaction',
  z.strictObject({
    id: z.uuid().describe('Id of the ledger transaction; both sides of a movement show the same.'),
    sequence: z.string().regex(/^\d+$/).describe('Place in this account’s history, from 1 without gaps.'),
    kind: z.string().describe('`transfer`, `adjustment`, …'),
    direction: z.enum(['credit', 'debit']),
    amount: MoneyWire,
    balance_after: MoneyWire,
    description: z.string(),
    counterparty: z
      .strictObject({ account_number: z.string() })
      .nullable()
      .describe('null where the other side is the bank.'),
    transfer_id: z.uuid().nullable(),
    booked_at: Timestamp,
    value_date: z.iso.date(),
  }),
  {
    id: EXAMPLE_ID,
    sequence: '7',
    kind: 'transfer',
    direction: 'debit',
    amount: { amount: '12.34', currency: 'EUR' },
    balance_after: { amount: '1250.00', currency: 'EUR' },
    description: 'Rent',
    counterparty: { account_number: '100000000287' },
    transfer_id: EXAMPLE_ID,
    booked_at: '2026-03-01T09:30:00.000Z',
    value_date: '2026-03-01',
  },
);
export const TransactionListResponse = listOf('TransactionListResponse', Transaction);
