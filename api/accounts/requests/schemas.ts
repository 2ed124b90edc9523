import { z } from 'zod';
import { ACCOUNT_REQUEST_STATUSES } from '../../../domain/accounts/account-requests.ts';
import { AccountId, AccountRequestId, AccountTypeId, UserId } from '../../../domain/ids.ts';
import { Reason } from '../../wire/text.ts';
import { named } from '../../wire/naming.ts';
import { ProcessLink } from '../../wire/process-link.ts';
import { listOf, Timestamp } from '../../wire/shapes.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';

export const AccountOpenRequest = named(
  'AccountOpenRequest',
  z.strictObject({
    id: AccountRequestId,
    user_id: UserId,
    account_type: z.strictObject({ id: AccountTypeId, code: z.string(), name: z.string() }),
    nickname: z.string().nullable(),
    status: z.enum(ACCOUNT_REQUEST_STATUSES).describe('Only `pending` ever changes.'),
    account_id: AccountId.nullable().describe('The account that the approval opened.'),
    reason: z.string().nullable().describe('The reason given with the decision.'),
    created_at: Timestamp,
    waiting_seconds: z
      .int()
      .nullable()
      .describe('How long it has waited until now; null once it is decided.'),
    expires_at: Timestamp.describe('When it expires unless it is decided.'),
    decided_at: Timestamp.nullable(),
    decided_by: UserId.nullable().describe('Shown to administrators; null for the customer.'),
    process: ProcessLink.optional().describe('Shown to administrators.'),
  }),
  {
    id: EXAMPLE_ID,
    user_id: EXAMPLE_ID,
    account_type: { id: EXAMPLE_ID, code: 'business_eur', name: 'Business account in euro' },
    nickname: 'Shop',
    status: 'pending',
    account_id: null,
    reason: null,
    created_at: '2026-03-01T09:30:00.000Z',
    waiting_seconds: 3_600,
    expires_at: '2026-03-31T09:30:00.000Z',
    decided_at: null,
    decided_by: null,
  },
);
export const AccountOpenRequestList = listOf('AccountOpenRequestList', AccountOpenRequest);

export const AccountRequestReview = named(
  'AccountRequestReview',
  z.strictObject({
    decision: z.enum(['approve', 'reject']).describe('`approve` opens the account.'),
    reason: Reason.optional().describe('The customer can read it.'),
  }),
  { decision: 'approve', reason: 'Register extract seen' },
);
