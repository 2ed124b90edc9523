/** The states of a transfer (or adjustment) and the moves between them. The table `transfer_moves` says the same; a test compares. */
import type { AccountId, QuoteId, TransferId, UserId } from './ids.ts';

export const transferKinds = ['transfer', 'adjustment', 'reversal'] as const;
export type TransferKind = (typeof transferKinds)[number];

/** Whom a type of transfer reaches. */
export const transferReaches = ['own', 'internal', 'sepa', 'international'] as const;
export type TransferReach = (typeof transferReaches)[number];

export const transferStatuses = [
  'pending_approval',
  'aml_review',
  'queued',
  'submitted',
  'executed',
  'returned',
  'rejected',
  'cancelled',
  'expired',
  'failed',
] as const;
export type TransferStatus = (typeof transferStatuses)[number];

export const transferMoves: Readonly<Record<TransferStatus, readonly TransferStatus[]>> = {
  // waits for an administrator
  pending_approval: [
    'aml_review',
    'queued',
    'submitted',
    'executed',
    'rejected',
    'cancelled',
    'expired',
    'failed',
  ],
  // held because the account is flagged
  aml_review: ['queued', 'submitted', 'executed', 'rejected', 'cancelled', 'failed'],
  // waits for the rail's window
  queued: ['aml_review', 'submitted', 'rejected', 'cancelled', 'failed'],
  // given to the rail; the money has left the account
  submitted: ['executed', 'returned', 'failed'],
  // what has left the bank can come back
  executed: ['returned'],
  returned: [],
  rejected: [],
  cancelled: [],
  expired: [],
  failed: [],
};

const OPEN: ReadonlySet<TransferStatus> = new Set(['pending_approval', 'aml_review', 'queued', 'submitted']);

/** Whether its process goes on. */
export function isOpen(status: TransferStatus): boolean {
  return OPEN.has(status);
}

/** How long a quote binds, in seconds. */
export const QUOTE_SECONDS = 60;

/** How long an adjustment waits for the second administrator, in seconds: three days. */
export const ADJUSTMENT_APPROVAL_SECONDS = 3 * 24 * 3600;

/** What shall be moved. An adjustment leaves out the side that is the bank's own. The amount is in minor units, as a decimal string. */
export interface TransferOrder {
  readonly id: TransferId;
  readonly kind: 'transfer' | 'adjustment';
  /** Code of the transfer type; adjustments have none. */
  readonly type?: string;
  readonly requestedBy: UserId;
  /** The payer of a transfer, the owner of an adjusted account. */
  readonly customerId: UserId;
  /** The owner of a transfer's destination. */
  readonly payeeId?: UserId;
  readonly source?: AccountId;
  readonly destination?: AccountId;
  readonly asset: string;
  readonly amount: string;
  readonly description: string;
  /** Why an adjustment is made. */
  readonly reason?: string;
  readonly quoteId?: QuoteId;
  readonly approvalSeconds?: number;
}

/** Somebody's word on a pending transfer; `by` is null where time has decided. */
export interface TransferDecision {
  /** Reserved for the request that decides; its repeat has the same. */
  readonly id?: string;
  readonly kind: 'execute' | 'reject' | 'cancel' | 'expire';
  readonly by: UserId | null;
  readonly role: 'customer' | 'admin' | 'system';
  readonly reason: string | null;
  readonly requestId?: string;
}

/** A transfer as its process knows it. */
export interface TransferState {
  readonly status: TransferStatus;
  /** Seconds left for the approval, where it is pending. */
  readonly approvalSeconds?: number;
}

/** Four eyes: who asked for it or gains from it does not approve it. */
export function mayExecute(
  order: Pick<TransferOrder, 'requestedBy' | 'customerId' | 'payeeId'>,
  by: UserId | null,
): boolean {
  return by !== null && ![order.requestedBy, order.customerId, order.payeeId].includes(by);
}
