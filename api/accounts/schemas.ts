import { z } from 'zod';
import { SHOWN_STATUSES } from '../../domain/accounts/accounts.ts';
import { AccountId, AccountTypeId } from '../../domain/ids.ts';
import { named } from '../wire/naming.ts';
import { Line } from '../wire/text.ts';
import { listOf, Money, Timestamp } from '../wire/shapes.ts';

export const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';

/** What the owner calls an account. */
export const Nickname = Line(60);

export const OpenAccountRequest = named(
  'OpenAccountRequest',
  z.strictObject({ account_type_id: AccountTypeId, nickname: Nickname.optional() }),
  { account_type_id: EXAMPLE_ID, nickname: 'Household' },
);

export const account = {
  id: AccountId,
  number: z.string().describe('Twelve digits, the last two of them check digits (ISO 7064 mod 97-10).'),
  iban: z
    .string()
    .nullable()
    .describe('For incoming payments (ISO 13616); null if the currency of the account has no IBANs.'),
  nickname: z.string().nullable(),
  status: z.enum(SHOWN_STATUSES).describe('`blocked`: no debits; `closed`: final.'),
  type: z.strictObject({ id: AccountTypeId, code: z.string(), name: z.string() }),
  currency: z.string(),
  balance: Money.describe('Sum of everything booked.'),
  held: Money.describe('Set aside for payments that are not booked yet.'),
  available: Money.describe(
    'What can be spent: balance less held, plus the overdraft limit, less the balance to be kept. Below zero, nothing can.',
  ),
  unarranged_overdraft: Money.describe(
    'How far the account is below its overdraft limit because a payment had to be booked, money that is held included.',
  ),
  unarranged_since: Timestamp.nullable().describe('null if the account is within its limit.'),
  opened_at: Timestamp,
};
export const example = {
  id: EXAMPLE_ID,
  number: '100000000190',
  iban: 'DE59999900001000000001',
  nickname: 'Household',
  status: 'open' as const,
  type: { id: EXAMPLE_ID, code: 'current_eur', name: 'Current account in euro' },
  currency: 'EUR',
  balance: { amount: '1250.00', currency: 'EUR' },
  held: { amount: '200.00', currency: 'EUR' },
  available: { amount: '1050.00', currency: 'EUR' },
  unarranged_overdraft: { amount: '0.00', currency: 'EUR' },
  unarranged_since: null,
  opened_at: '2026-03-01T09:30:00.000Z',
};

export const UserAccount = named('UserAccount', z.strictObject(account), example);
export const UserAccountList = listOf('UserAccountList', UserAccount);

export const detail = {
  overdraft_limit: Money.describe('How far below zero the balance may go.'),
  min_balance: Money.describe('What must stay on the account once it is there.'),
  max_balance: Money.nullable().describe('Credits that would go above it are refused; null is no limit.'),
  closed_at: Timestamp.nullable(),
};
const none = { amount: '0.00', currency: 'EUR' };
export const detailExample = { overdraft_limit: none, min_balance: none, max_balance: null, closed_at: null };
export const UserAccountDetail = named('UserAccountDetail', z.strictObject({ ...account, ...detail }), {
  ...example,
  ...detailExample,
});

export const AccountUpdateRequest = named(
  'AccountUpdateRequest',
  z.strictObject({ nickname: Nickname.nullable().describe('null removes it.') }),
  { nickname: 'Household' },
);
