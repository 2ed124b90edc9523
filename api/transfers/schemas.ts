/** What transfers look like in answers. */
import { z } from 'zod';
import { AccountId, QuoteId, TransferId, UserId } from '../../domain/ids.ts';
import { personalDecisions, transferKinds, transferStatuses } from '../../domain/transfers/transfers.ts';
import { named } from '../wire/naming.ts';
import { ProcessLink } from '../wire/process-link.ts';
import { listOf, Money, Timestamp } from '../wire/shapes.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const OTHER_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3f';
const twelve = { amount: '12.34', currency: 'EUR' };

const Fee = z.strictObject({
  code: z.string(),
  description: z.string(),
  amount: Money,
  rule_id: z.uuid().describe('The fee rule that made it,'),
  rule_version: z.int().describe('and its version.'),
});

const Exchange = z.strictObject({
  rate: z.string().describe('What the customer gets: target per source.'),
  mid_rate: z.string().describe('What the market gives.'),
  spread_bps: z.number().describe('Between the two, in basis points.'),
  spread: Money.describe('The same as money.'),
  as_of: z.string().describe('Since when the rate has been valid.'),
});

const Beneficiary = z.strictObject({
  name: z.string(),
  iban: z.string().nullable(),
  account: z.string().nullable(),
  bic: z.string().nullable(),
  country: z.string(),
});

const numbers = {
  amount: Money.describe('What leaves the source account, before fees.'),
  target_amount: Money.describe('What reaches the destination.'),
  fees: z.array(Fee),
  total_debit: Money.describe('Amount and fees.'),
  exchange: Exchange.nullable().describe('null where both sides have one currency.'),
};
const destination = {
  destination_account_number: z
    .string()
    .nullable()
    .describe('null where it leaves the bank, and in a quote for an email address or a phone number.'),
  beneficiary: Beneficiary.nullable().describe('Who is paid outside the bank.'),
};
const example = {
  type: 'internal',
  source_account_id: EXAMPLE_ID,
  destination_account_number: '100000000287',
  beneficiary: null,
  amount: twelve,
  target_amount: twelve,
  fees: [],
  total_debit: twelve,
  exchange: null,
};

export const TransferQuote = named(
  'TransferQuote',
  z.strictObject({
    id: QuoteId,
    type: z.string(),
    source_account_id: AccountId,
    ...destination,
    ...numbers,
    requires_approval: z.boolean(),
    expires_at: Timestamp,
  }),
  { id: EXAMPLE_ID, ...example, requires_approval: false, expires_at: '2026-03-01T09:31:00.000Z' },
);

const status = z
  .enum(transferStatuses)
  .exclude(['aml_review'])
  .describe(
    'Holding the money: `pending_approval`; `queued` until the rail’s next business day. `submitted`: given to the rail. Ended: `executed`; `returned`, with the money back; `rejected`, `cancelled`, `expired`; `failed` (see failure_code).',
  );
const transfer = {
  id: TransferId,
  type: z.string(),
  status,
  source_account_id: AccountId,
  ...destination,
  ...numbers,
  description: z.string(),
  quote_id: QuoteId.nullable(),
  failure_code: z.string().nullable(),
  return_code: z.string().nullable().describe('Why it came back: an ISO 20022 reason code.'),
  created_at: Timestamp,
  approve_until: Timestamp.nullable().describe('When it expires unless it is decided.'),
  due_at: Timestamp.nullable().describe('When a queued one goes to the rail.'),
  submitted_at: Timestamp.nullable(),
  finished_at: Timestamp.nullable(),
  decision: z
    .strictObject({
      kind: z.enum(personalDecisions),
      by: UserId,
      at: Timestamp,
      state: z
        .enum(['accepted', 'done'])
        .describe(
          '`accepted`: certain to be carried out, or refused, by the process, which has not answered yet.',
        ),
    })
    .nullable()
    .describe('The last decision that people took. Customers see their own only.'),
};
const transferExample = {
  id: EXAMPLE_ID,
  ...example,
  status: 'executed' as const,
  description: 'Rent',
  quote_id: null,
  failure_code: null,
  return_code: null,
  created_at: '2026-03-01T09:30:00.000Z',
  approve_until: null,
  due_at: null,
  submitted_at: null,
  finished_at: '2026-03-01T09:30:00.100Z',
  decision: null,
};
export const Transfer = named('Transfer', z.strictObject(transfer), transferExample);
export const TransferList = listOf('TransferList', Transfer);

const Event = z.strictObject({
  at: Timestamp,
  action: z.string(),
  status: z.string().nullable(),
  actor_id: UserId.nullable().describe('null where time, a rule or the rail decided.'),
  actor_role: z.enum(['customer', 'admin', 'system']),
  reason: z.string().nullable(),
});

const Entry = z.strictObject({
  transaction_id: z.uuid(),
  kind: z.string(),
  account_id: AccountId,
  account: z.string().describe('A customer’s account number, or the role of the bank’s own account.'),
  part: z.string(),
  amount: Money.describe('Debits negative.'),
  booked_at: Timestamp,
  value_date: z.iso.date(),
});

export const AdminTransfer = named(
  'AdminTransfer',
  z.strictObject({
    ...transfer,
    type: z.string().nullable().describe('Only transfers have one.'),
    status: z
      .enum(transferStatuses)
      .describe('As customers see it, and `aml_review`: held because the paying account is flagged.'),
    kind: z.enum(transferKinds),
    source_account_number: z.string().nullable().describe('null where it is the bank’s own account.'),
    destination_account_id: AccountId,
    destination_account_number: z.string().nullable().describe('null where it is the bank’s own account.'),
    customer_id: UserId,
    requested_by: UserId,
    requires_approval: z.boolean(),
    waits_for: z.enum(['approval', 'aml_clearance', 'rail_window', 'rail']).nullable(),
    waiting_seconds: z.int().nullable().describe('Since it was asked for, while it waits.'),
    reason: z.string().nullable().describe('Why an adjustment or reversal is made.'),
    approved_by: UserId.nullable(),
    approved_at: Timestamp.nullable(),
    decided_by: UserId.nullable(),
    decision_reason: z.string().nullable(),
    reverses_id: TransferId.nullable().describe('The transfer that this one takes back.'),
    reversed_by_id: TransferId.nullable().describe('The reversal that has taken this one back.'),
    value_date: z.iso.date().nullable().describe('Where it is not the day of the booking.'),
    transaction_id: z.uuid().nullable().describe('The ledger transaction that booked it.'),
    return_transaction_id: z.uuid().nullable().describe('The ledger transaction that booked it back.'),
    workflow_id: z.string().describe('As in `process`.'),
    workflow_url: z.url().describe('As in `process`.'),
    process: ProcessLink,
    events: z.array(Event).optional().describe('Who did what, oldest first; in the detail only.'),
    entries: z.array(Entry).optional().describe('All that was booked for it; in the detail only.'),
  }),
  {
    ...transferExample,
    kind: 'transfer',
    source_account_number: '100000000190',
    destination_account_id: OTHER_ID,
    customer_id: EXAMPLE_ID,
    requested_by: EXAMPLE_ID,
    requires_approval: false,
    waits_for: null,
    waiting_seconds: null,
    reason: null,
    approved_by: null,
    approved_at: null,
    decided_by: null,
    decision_reason: null,
    reverses_id: null,
    reversed_by_id: null,
    value_date: null,
    transaction_id: EXAMPLE_ID,
    return_transaction_id: null,
    workflow_id: `transfer/${EXAMPLE_ID}`,
    workflow_url: `http://127.0.0.1:8233/namespaces/default/workflows/transfer%2F${EXAMPLE_ID}`,
    process: {
      workflow_id: `transfer/${EXAMPLE_ID}`,
      url: `http://127.0.0.1:8233/namespaces/default/workflows/transfer%2F${EXAMPLE_ID}`,
    },
  },
);
export const AdminTransferList = listOf('AdminTransferList', AdminTransfer);
