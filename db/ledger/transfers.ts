/** Transfers in the books: opening (hold or posting) and deciding, each one transaction and one round trip. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountId, QuoteId, TransferId, UserId } from '../../domain/ids.ts';
import type { RefusalCode } from '../../domain/refusals.ts';
import type { TransferStatus } from '../../domain/transfers.ts';
import { row, rows } from '../sql.ts';
import { createBatcher, type Batcher } from './batches.ts';

/** What shall be moved. An adjustment leaves out the side that is the bank's own. Amounts in minor units as decimal strings. */
export interface TransferDraft {
  readonly id: TransferId;
  readonly kind: 'transfer' | 'adjustment';
  readonly type?: string;
  readonly requestedBy: UserId;
  readonly customerId: UserId;
  readonly source?: AccountId;
  readonly destination?: AccountId;
  readonly asset: string;
  readonly amount: string;
  readonly description: string;
  readonly reason?: string;
  readonly quoteId?: QuoteId;
  readonly approvalSeconds?: number;
}

/** The status it has now, or why it was refused. */
export type TransferVerdict =
  | { readonly status: TransferStatus; readonly refusal: null }
  | { readonly status: null; readonly refusal: RefusalCode };

export type TransferDecisionKind = 'execute' | 'reject' | 'cancel' | 'expire';

/** The status after the decision; `refusal` where the decision did not stand. */
export interface DecisionVerdict {
  readonly status: TransferStatus | null;
  readonly refusal: RefusalCode | null;
}

const MOST_IN_A_BATCH = 32;

/** Opens transfers for many callers of one process; a repeat answers what the transfer has become. */
export function createTransferOpener(em: () => EntityManager): Batcher<TransferDraft, TransferVerdict> {
  return createBatcher(MOST_IN_A_BATCH, (drafts) =>
    rows<TransferVerdict>(em(), 'select status, refusal from transfers_open($1) order by ord', [
      JSON.stringify(drafts.map(order)),
    ]),
  );
}

/** Decides a pending transfer; the first decision stands. */
export async function decideTransfer(
  em: EntityManager,
  id: TransferId,
  decision: TransferDecisionKind,
  by: UserId | null,
  reason: string | null,
): Promise<DecisionVerdict> {
  const verdict = await row<DecisionVerdict>(
    em,
    'select status, refusal from transfer_decide($1, $2, $3, $4)',
    [id, decision, by, reason],
  );
  if (verdict === undefined) throw new Error('transfer_decide answered nothing');
  return verdict;
}

function order(draft: TransferDraft): object {
  return {
    id: draft.id,
    kind: draft.kind,
    type: draft.type,
    requested_by: draft.requestedBy,
    customer: draft.customerId,
    source: draft.source,
    destination: draft.destination,
    asset: draft.asset,
    amount: draft.amount,
    description: draft.description,
    reason: draft.reason,
    quote: draft.quoteId,
    approval_seconds: draft.approvalSeconds,
  };
}
