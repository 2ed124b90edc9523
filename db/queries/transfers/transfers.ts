/** Reads of transfers and adjustments. */
import { bigCount, integer, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { Account } from '../../schema/accounts.ts';
import { Beneficiary, Transfer, TransferDecision } from '../../schema/transfers.ts';

const { id } = columnsOf(Transfer, 'id');
const { number, ownerId } = columnsOf(Account, 'number', 'ownerId');
const decision = columnsOf(TransferDecision, 'kind', 'decidedBy', 'createdAt', 'state');
const payee = columnsOf(Beneficiary, 'name', 'iban', 'account', 'bic', 'country');

/** Of the table alone. */
export const own = columnsOf(
  Transfer,
  'id',
  'kind',
  'typeCode',
  'status',
  'customerId',
  'sourceAccountId',
  'asset',
  'amount',
  'targetAsset',
  'targetAmount',
  'price',
  'description',
  'quoteId',
  'failureCode',
  'returnCode',
  'createdAt',
  'approveUntil',
  'dueAt',
  'submittedAt',
  'finishedAt',
);
/** The columns of a transfer that its customer sees. */
export const ownTransfer = {
  ...own,
  // null for an account of the bank's own
  destinationNumber: number,
  beneficiaryName: payee.name.nullable(),
  beneficiaryIban: payee.iban,
  beneficiaryAccount: payee.account,
  beneficiaryBic: payee.bic,
  beneficiaryCountry: payee.country.nullable(),
  // the last decision that people took and the books did not refuse
  decision: decision.kind.nullable(),
  decisionBy: decision.decidedBy.nullable(),
  decisionAt: decision.createdAt.nullable(),
  decisionState: decision.state.nullable(),
};
/** A transfer as its customer sees it. `amount` is the principal. */
export type OwnTransferRow = RowOf<typeof ownTransfer>;

const internal = columnsOf(
  Transfer,
  'requestedBy',
  'destinationAccountId',
  'beneficiaryId',
  'feeTotal',
  'legs',
  'reason',
  'reversesId',
  'valueDate',
  'requiresApproval',
  'transactionId',
  'returnTransactionId',
  'approvedBy',
  'approvedAt',
  'decidedBy',
  'decisionReason',
  'decisionId',
);
/** The columns of a whole transfer. */
export const transfer = {
  ...ownTransfer,
  ...internal,
  // null for an account of the bank's own
  sourceNumber: number,
  destinationOwnerId: ownerId,
  // the reversal that was executed
  reversedById: id.nullable(),
};
/** All there is of it, for the back office and its process. `decisionId` is the id reserved for the request that decided. */
export type TransferRow = RowOf<typeof transfer>;

const OWN = `
  ${selectList(own, 't')}, d.number as destination_number, b.name as beneficiary_name, b.iban as beneficiary_iban,
  b.account as beneficiary_account, b.bic as beneficiary_bic, b.country as beneficiary_country,
  p.kind as decision, p.decided_by as decision_by, p.created_at as decision_at, p.state as decision_state`;
/** Of a transfer that nobody has decided on yet. */
export const NO_DECISION = `
  null::text as decision, null::uuid as decision_by, null::timestamptz as decision_at, null::text as decision_state`;
const FROM = `
  from transfers t join accounts d on d.id = t.destination_account_id left join beneficiaries b on b.id = t.beneficiary_id
  left join lateral (
    select x.kind, x.decided_by, x.created_at, x.state from transfer_decisions x where x.transfer_id = t.id and x.state <> 'refused'
     order by x.created_at desc limit 1) p on true`;

const SELECT_OWN = `select ${OWN} ${FROM}`;
/** Selects `transfer` from transfers t. */
export const SELECT_TRANSFER = `
  select ${OWN}, ${selectList(internal, 't')}, s.number as source_number, d.owner_id as destination_owner_id,
         (select r.id from transfers r where r.reverses_id = t.id and r.status = 'executed') as reversed_by_id
  ${FROM} join accounts s on s.id = t.source_account_id`;

const NEWEST = `'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`;

/** One transfer, whoever's. */
export const transferById = statement({
  name: 'transferById',
  takes: { id },
  gives: transfer,
  sql: `${SELECT_TRANSFER} where t.id = $id`,
});

/** One transfer that this customer asked for. */
export const transferOf = statement({
  name: 'transferOf',
  takes: columnsOf(Transfer, 'id', 'customerId'),
  gives: ownTransfer,
  sql: `${SELECT_OWN} where t.id = $id and t.customer_id = $customerId and t.kind = 'transfer'`,
});

/** A page of a customer's transfers, newest first, from below `before`. */
export const transfersOf = statement({
  name: 'transfersOf',
  takes: { ...columnsOf(Transfer, 'customerId'), before: id.nullable(), most: bigCount() },
  gives: ownTransfer,
  sql: `
    ${SELECT_OWN} where t.customer_id = $customerId and t.kind = 'transfer' and t.id < coalesce($before, ${NEWEST})
     order by t.id desc limit $most`,
});

/** A page of what moves money from or to an account, newest first, from below `before`. */
export const transfersOfAccount = statement({
  name: 'transfersOfAccount',
  takes: { account: columnsOf(Account, 'id').id, before: id.nullable(), most: bigCount() },
  gives: transfer,
  sql: `
    ${SELECT_TRANSFER} where t.id in (
      (select id from transfers where source_account_id = $account and id < coalesce($before, ${NEWEST}) order by id desc limit $most) union
      (select id from transfers where destination_account_id = $account and id < coalesce($before, ${NEWEST}) order by id desc limit $most))
     order by t.id desc limit $most`,
});

/** Where a transfer stands, how many seconds it waits as it is (for its approval, or for the rail's window), and what was decided on it. */
export const transferState = statement({
  name: 'transferState',
  takes: { id },
  gives: {
    ...columnsOf(Transfer, 'status'),
    waitSeconds: integer().nullable(),
    // accepted and not yet carried out
    decision: columnsOf(TransferDecision, 'id').id.nullable(),
  },
  sql: `
    select t.status, ceil(extract(epoch from
             case t.status when 'pending_approval' then t.approve_until when 'queued' then t.due_at end - bank_now()))::integer
             as wait_seconds,
           (select d.id from transfer_decisions d where d.transfer_id = t.id and d.state = 'accepted') as decision
      from transfers t where t.id = $id`,
});
