/** Transfers in the books: opening (hold or posting) and deciding, each one transaction and one round trip. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { TransferId } from '../../domain/ids.ts';
import { refusalCodes } from '../../domain/refusals.ts';
import type { TransferDecision, TransferOrder } from '../../domain/transfers/transfers.ts';
import { boolean, id, integer, oneOf, ownJson, text, type RowOf } from '../rows/columns.ts';
import { statement } from '../rows/statement.ts';
import { columnsOf } from '../rows/table-columns.ts';
import { Transfer } from '../schema/transfers.ts';
import { createBatcher, type Batcher } from './batches.ts';

const status = columnsOf(Transfer, 'status').status.nullable();
const refusal = oneOf(refusalCodes).nullable();
// seconds that it waits for the approval or the rail
const waitSeconds = integer().nullable();

const openTransfers = statement({
  name: 'openTransfers',
  takes: { orders: ownJson<object[]>() },
  gives: { status, refusal, members: ownJson<Readonly<Record<string, unknown>>>().nullable(), waitSeconds },
  sql: 'select status, refusal, members, wait_seconds from transfers_open($orders) order by ord',
});
/** The status it has now, or why it was refused; one of the two is null. */
export type TransferVerdict = RowOf<(typeof openTransfers)['gives']>;

const MOST_IN_A_BATCH = 32;

/** Opens transfers for many callers of one process; a repeat answers what the transfer has become. */
export function createTransferOpener(em: () => EntityManager): Batcher<TransferOrder, TransferVerdict> {
  return createBatcher(MOST_IN_A_BATCH, (drafts) => openTransfers.all(em(), { orders: drafts.map(order) }));
}

const decideOnTransfer = statement({
  name: 'decideOnTransfer',
  takes: {
    ...columnsOf(Transfer, 'id'),
    kind: text(),
    by: columnsOf(Transfer, 'decidedBy').decidedBy,
    reason: text().nullable(),
    request: id().nullable(),
    code: text().nullable(),
  },
  // `was` is the status before it, if it changed; `changed` is false if the same decision had been taken before
  gives: { status, refusal, changed: boolean(), waitSeconds, was: status },
  sql: 'select status, refusal, changed, wait_seconds, was from transfer_decide($id, $kind, $by, $reason, $request, $code)',
});
/** The status after the decision; `refusal` where the decision did not stand. */
export type DecisionVerdict = RowOf<(typeof decideOnTransfer)['gives']>;

/** Decides a pending transfer; the first decision stands, and its repeat by the same person gets the same answer. */
export function decideTransfer(
  db: EntityManager,
  id: TransferId,
  { kind, by, reason, id: request, code }: TransferDecision,
): Promise<DecisionVerdict> {
  return decideOnTransfer.one(db, { id, kind, by, reason, request: request ?? null, code: code ?? null });
}

function order(draft: TransferOrder): object {
  return {
    id: draft.id,
    kind: draft.kind,
    type: draft.type,
    requested_by: draft.requestedBy,
    customer: draft.customerId,
    source: draft.source,
    destination: draft.destination,
    beneficiary: draft.beneficiaryId,
    asset: draft.asset,
    amount: draft.amount,
    target_asset: draft.targetAsset,
    target_amount: draft.targetAmount,
    fee_total: draft.feeTotal,
    price: draft.price,
    legs: draft.legs,
    description: draft.description,
    reason: draft.reason,
    quote: draft.quoteId,
    reverses: draft.reversesId,
    value_date: draft.valueDate,
    approval_seconds: draft.approvalSeconds,
  };
}
