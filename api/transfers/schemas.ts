import { z } from 'zod';
import { AccountId, QuoteId, TransferId, UserId } from '../../domain/ids.ts';
import { transferStatuses } from '../../domain/transfers.ts';
import { named } from '../naming.ts';
import { Amount, listOf, MoneyWire, Timestamp } from '../wire.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const OTHER_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3f';
const twelve = { amount: '12.34', currency: 'EUR' };

/** One line of text: any script, no control or direction characters. */
const line = (most: number) =>
  z
    .string()
    .normalize('NFC')
    .trim()
    .max(most)
    .regex(/^[^\p{Cc}\p{Cf}]*$/u, 'must not hold control characters');

const Reason = line(500).min(1);

const intent = {
  type: z
    .string()
    .regex(/^[a-z][a-z0-9_]{1,39}$/)
    .default('internal')
    .describe('Code of a transfer type.'),
  source_account_id: AccountId.describe('An account of the caller.'),
  destination: z
    .union([
      z.strictObject({ account_id: AccountId }),
      z.strictObject({ account_number: z.string().regex(/^\d{12}$/, 'must be twelve digits') }),
    ])
    .describe('Any account of this bank, by id or by number.'),
  amount: Amount.describe('In the currency of both accounts.'),
  description: line(140).default('').describe('Both sides see it.'),
};
const intentExample = {
  source_account_id: EXAMPLE_ID,
  destination: { account_number: '100000000287' },
  amount: twelve,
  description: 'Rent',
};

export const TransferQuoteRequest = named('TransferQuoteRequest', z.strictObject(intent), intentExample);
export const TransferRequest = named(
  'TransferRequest',
  z.strictObject({ ...intent, quote_id: QuoteId.optional().describe('Binds the transfer to a quote.') }),
  intentExample,
);

export const TransferQuote = named(
  'TransferQuote',
  z.strictObject({
    id: QuoteId,
    type: z.string(),
    source_account_id: AccountId,
    destination_account_number: z.string(),
    amount: MoneyWire,
    fees: z.array(z.strictObject({ code: z.string(), description: z.string(), amount: MoneyWire })),
    total_debit: MoneyWire.describe('Amount and fees: what leaves the source account.'),
    requires_approval: z.boolean(),
    expires_at: Timestamp,
  }),
  {
    id: EXAMPLE_ID,
    type: 'internal',
    source_account_id: EXAMPLE_ID,
    destination_account_number: '100000000287',
    amount: twelve,
    fees: [],
    total_debit: twelve,
    requires_approval: false,
    expires_at: '2026-03-01T09:31:00.000Z',
  },
);

const status = z
  .enum(transferStatuses)
  .describe(
    '`pending_approval` holds the money; `failed`: approved, but the books refused (see failure_code). Only `pending_approval` ever changes.',
  );
const transfer = {
  id: TransferId,
  type: z.string(),
  status,
  source_account_id: AccountId,
  destination_account_number: z.string(),
  amount: MoneyWire,
  description: z.string(),
  quote_id: QuoteId.nullable(),
  failure_code: z.string().nullable(),
  created_at: Timestamp,
  approve_until: Timestamp.nullable().describe('When it expires unless it is decided.'),
  finished_at: Timestamp.nullable(),
};
const transferExample = {
  id: EXAMPLE_ID,
  type: 'internal',
  status: 'executed' as const,
  source_account_id: EXAMPLE_ID,
  destination_account_number: '100000000287',
  amount: twelve,
  description: 'Rent',
  quote_id: null,
  failure_code: null,
  created_at: '2026-03-01T09:30:00.000Z',
  approve_until: null,
  finished_at: '2026-03-01T09:30:00.100Z',
};
export const Transfer = named('Transfer', z.strictObject(transfer), transferExample);
export const TransferList = listOf('TransferList', Transfer);

export const AdminTransfer = named(
  'AdminTransfer',
  z.strictObject({
    ...transfer,
    type: z.string().nullable().describe('null for adjustments.'),
    kind: z.enum(['transfer', 'adjustment']),
    source_account_number: z.string().nullable().describe('null where it is the bank’s own account.'),
    destination_account_id: AccountId,
    destination_account_number: z.string().nullable().describe('null where it is the bank’s own account.'),
    customer_id: UserId,
    requested_by: UserId,
    requires_approval: z.boolean(),
    reason: z.string().nullable().describe('Why an adjustment is made.'),
    decided_by: UserId.nullable(),
    decision_reason: z.string().nullable(),
    transaction_id: z.uuid().nullable().describe('The ledger transaction that booked it.'),
    workflow_id: z.string(),
    workflow_url: z.url().describe('The process in the Temporal Web UI.'),
  }),
  {
    ...transferExample,
    kind: 'transfer',
    source_account_number: '100000000190',
    destination_account_id: OTHER_ID,
    customer_id: EXAMPLE_ID,
    requested_by: EXAMPLE_ID,
    requires_approval: false,
    reason: null,
    decided_by: null,
    decision_reason: null,
    transaction_id: EXAMPLE_ID,
    workflow_id: `transfer/${EXAMPLE_ID}`,
    workflow_url: `http://127.0.0.1:8233/namespaces/default/workflows/transfer%2F${EXAMPLE_ID}`,
  },
);
export const AdminTransferList = listOf('AdminTransferList', AdminTransfer);

export const AdminTransferAdjustRequest = named(
  'AdminTransferAdjustRequest',
  z.strictObject({
    account_id: AccountId,
    direction: z.enum(['credit', 'debit']).describe('`credit` pays into the account, `debit` takes from it.'),
    amount: Amount.describe('In the account’s currency.'),
    reason: Reason,
    description: line(140).default('').describe('The customer sees it.'),
  }),
  {
    account_id: EXAMPLE_ID,
    direction: 'credit',
    amount: twelve,
    reason: 'Goodwill after complaint 4711',
    description: 'Goodwill',
  },
);

export const OptionalReason = named('TransferExecuteRequest', z.strictObject({ reason: Reason.optional() }), {
  reason: 'Checked by phone',
});
export const RequiredReason = named('TransferDecisionRequest', z.strictObject({ reason: Reason }), {
  reason: 'The customer asked for it',
});
