/** Transfers in the books: opening (hold or posting) and deciding, each one transaction and one round trip. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { TransferId } from '../../domain/ids.ts';
import type { RefusalCode } from '../../domain/refusals.ts';
import type { TransferDecision, TransferOrder, TransferStatus } from '../../domain/transfers.ts';
import { row, rows } from '../sql.ts';
import { createBatcher, type Batcher } from './batches.ts';

/** The status it has now (and the seconds that it waits for the approval or the rail), or why it was refused. */
export type TransferVerdict =
  | { readonly status: TransferStatus; readonly refusal: null; readonly wait_seconds: number | null }
  | {
      readonly status: null;
      readonly refusal: RefusalCode;
      readonly members: Readonly<Record<string, unknown>> | null;
    };

/** The status after the decision; `refusal` where the decision did not stand. */
export interface DecisionVerdict {
  readonly status: TransferStatus | null;
  readonly refusal: RefusalCode | null;
  /** false where the same decision had been taken before. */
  readonly changed: boolean;
  readonly wait_seconds: number | null;
  /** The status before it, where it changed. */
  readonly was: TransferStatus | null;
}

const MOST_IN_A_BATCH = 32;

/** Opens transfers for many callers of one process; a repeat answers what the transfer has become. */
export function createTransferOpener(em: () => EntityManager): Batcher<TransferOrder, TransferVerdict> {
  return createBatcher(MOST_IN_A_BATCH, (drafts) =>
    rows<TransferVerdict>(
      em(),
      'select status, refusal, members, wait_seconds from transfers_open($1) order by ord',
      [JSON.stringify(drafts.map(order))],
    ),
  );
}

/** Decides a pending transfer; the first decision stands, and its repeat by the same person gets the same answer. */
export async function decideTransfer(
  em: EntityManager,
  id: TransferId,
  decision: TransferDecision,
): Promise<DecisionVerdict> {
  const verdict = await row<DecisionVerdict>(
    em,
    'select status, refusal, changed, wait_seconds, was from transfer_decide($1, $2, $3, $4, $5, $6)',
    [id, decision.kind, decision.by, decision.reason, decision.id ?? null, decision.code ?? null],
  );
  if (verdict === undefined) throw new Error('transfer_decide answered nothing');
  return verdict;
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
