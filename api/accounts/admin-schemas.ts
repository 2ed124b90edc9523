import { z } from 'zod';
import { ACCOUNT_STATUSES, SETTABLE_STATUSES } from '../../domain/accounts/accounts.ts';
import { readIban } from '../../domain/standards/iban.ts';
import { AccountTypeId, UserId } from '../../domain/ids.ts';
import { named } from '../wire/naming.ts';
import { Reason } from '../wire/text.ts';
import { Currency, listOf, Money, Timestamp } from '../wire/shapes.ts';
import { account, detail, detailExample, EXAMPLE_ID, example, Nickname } from './schemas.ts';

const EXAMPLE_TIME = '2026-03-01T09:30:00.000Z';

const forAdmins = {
  status: z.enum(ACCOUNT_STATUSES).describe('`blocked`: no debits; `frozen`: no movement; `closed`: final.'),
  owner: z.strictObject({
    id: UserId,
    name: z.string(),
    email: z.string().describe('Masked; `POST /v1/admin/users/{id}/reveal` shows it.'),
  }),
  flagged: z.boolean().describe('An AML flag is open.'),
};
const forAdminsExample = {
  status: 'open' as const,
  owner: { id: EXAMPLE_ID, name: 'Ada Lovelace', email: 'a•••@example.com' },
  flagged: false,
};

export const AdminAccount = named('AdminAccount', z.strictObject({ ...account, ...forAdmins }), {
  ...example,
  ...forAdminsExample,
});
export const AdminAccountList = listOf('AdminAccountList', AdminAccount);

export const AmlFlag = z.strictObject({
  id: z.uuid(),
  raised_by: UserId.nullable().describe('null if a rule raised it.'),
  reason: z.string(),
  frozen: z.boolean().describe('Nothing moves while it is open.'),
  frozen_by: UserId.nullable(),
  raised_at: Timestamp,
});

export const AdminAccountDetail = named(
  'AdminAccountDetail',
  z.strictObject({
    ...account,
    ...forAdmins,
    ...detail,
    aml_flag: AmlFlag.nullable().describe('The open flag.'),
    holds: z
      .array(
        z.strictObject({
          id: z.uuid(),
          amount: Money.describe('What is still held.'),
          source: z.string().describe('What it is held for, such as `transfer`.'),
          transfer_id: z.uuid().nullable(),
          created_at: Timestamp,
          expires_at: Timestamp.nullable().describe('When it is released; null if it has no end.'),
        }),
      )
      .describe('The open holds, oldest first, at most 100.'),
  }),
  {
    ...example,
    ...forAdminsExample,
    ...detailExample,
    aml_flag: null,
    holds: [
      {
        id: EXAMPLE_ID,
        amount: { amount: '200.00', currency: 'EUR' },
        source: 'transfer',
        transfer_id: EXAMPLE_ID,
        created_at: EXAMPLE_TIME,
        expires_at: null,
      },
    ],
  },
);

export const OpenAccountForUserRequest = named(
  'OpenAccountForUserRequest',
  z.strictObject({ user_id: UserId, account_type_id: AccountTypeId, nickname: Nickname.optional() }),
  { user_id: EXAMPLE_ID, account_type_id: EXAMPLE_ID, nickname: 'Household' },
);

export const AccountStatusRequest = named(
  'AccountStatusRequest',
  z.strictObject({
    status: z
      .enum(SETTABLE_STATUSES)
      .describe('`blocked`: no debits; `closed`: final, for an empty account; `open`: unblocked.'),
    reason: Reason,
  }),
  { status: 'blocked', reason: 'Asked for by phone' },
);

export const AccountLimitsRequest = named(
  'AccountLimitsRequest',
  z.strictObject({
    min_balance: Money.optional().describe(
      'What must stay on the account; zero lets its owner take it all out. Cannot be combined with an overdraft.',
    ),
    max_balance: Money.nullish().describe('Credits that would go above it are refused; null is no limit.'),
    overdraft_limit: Money.optional().describe('How far below zero the balance may go.'),
    reason: Reason,
  }),
  { overdraft_limit: { amount: '500.00', currency: 'EUR' }, reason: 'Salary comes in here' },
);

export const AmlFlagRequest = named(
  'AmlFlagRequest',
  z.strictObject({
    reason: Reason,
    freeze: z.boolean().default(false).describe('Nothing at all moves until the flag is cleared.'),
  }),
  { reason: 'Many small credits from abroad', freeze: false },
);
export const AmlClearRequest = named('AmlClearRequest', z.strictObject({ reason: Reason }), {
  reason: 'Invoices were shown',
});

/** Query fields that narrow the list; the count takes the first three. */
export const narrowing = {
  status: z.enum(ACCOUNT_STATUSES).optional(),
  account_type_id: AccountTypeId.optional(),
  currency: Currency.optional(),
};
export const search = {
  ...narrowing,
  user_id: UserId.optional().describe('Accounts of this customer.'),
  unarranged: z
    .stringbool()
    .optional()
    .describe('`true`: accounts that are below their limit because a payment had to be booked.'),
  number: z
    .string()
    .regex(/^\d{12}$/, 'must be twelve digits')
    .optional(),
  iban: z
    .string()
    .max(60)
    .transform((text, context) => {
      const iban = readIban(text);
      if (iban !== undefined) return iban;
      context.issues.push({
        code: 'custom',
        message: 'is not an IBAN',
        input: text,
        params: { code: 'invalid_iban' },
      });
      return z.NEVER;
    })
    .optional(),
};
