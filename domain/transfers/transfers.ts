/** The states of a transfer (or adjustment) and the moves between them. The table `transfer_moves` says the same; a test compares. */
import type { AccountId, BeneficiaryId, DecisionId, QuoteId, TransferId, UserId } from '../ids.ts';
import type { Leg, StoredPrice } from '../pricing/pricing.ts';

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

/** What a customer is told: that an account is flagged is not its owner's to know. */
export type ShownStatus = Exclude<TransferStatus, 'aml_review'>;

/** The status as its customer sees it. What is held looks as it would if it waited for what comes before or after. */
export function shownStatus(status: TransferStatus, dueAt: Date | null): ShownStatus {
  if (status !== 'aml_review') return status;
  return dueAt === null ? 'pending_approval' : 'queued';
}

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

/** While its money is held and nothing is booked. `transfer_is_held` in db/functions/transfer-rules.sql says the same; a test compares. */
export const heldStatuses = ['pending_approval', 'aml_review', 'queued'] as const;

/** While its process goes on: it waits for a person, for time or for the rail. */
export const openStatuses = [...heldStatuses, 'submitted'] as const;

/** Ended without the money having gone: what it has used of limits is given back. `transfer_is_unspent` says the same; a test compares. */
export const unspentStatuses = ['rejected', 'cancelled', 'expired', 'failed', 'returned'] as const;

const OPEN: ReadonlySet<TransferStatus> = new Set(openStatuses);

/** Whether its process goes on. */
export function isOpen(status: TransferStatus): boolean {
  return OPEN.has(status);
}

/** How long a quote binds, in seconds. */
export const QUOTE_SECONDS = 60;

/** How long an adjustment waits for the second administrator, in seconds: three days. */
export const ADJUSTMENT_APPROVAL_SECONDS = 3 * 24 * 3600;

/** What shall be moved. An adjustment leaves out the side that is the bank's own. Amounts are in minor units, as decimal strings. */
export interface TransferOrder {
  readonly id: TransferId;
  readonly kind: TransferKind;
  /** Code of the transfer type; only transfers have one. */
  readonly type?: string;
  readonly requestedBy: UserId;
  /** The payer of a transfer, the owner of an adjusted account, the customer of the transfer that is reversed. */
  readonly customerId: UserId;
  readonly source?: AccountId;
  readonly destination?: AccountId;
  /** Who is paid outside the bank, instead of a destination. */
  readonly beneficiaryId?: BeneficiaryId;
  readonly asset: string;
  /** The principal, fees not included. */
  readonly amount: string;
  /** What arrives, where it is something else than what leaves. */
  readonly targetAsset?: string;
  readonly targetAmount?: string;
  readonly feeTotal?: string;
  readonly price?: StoredPrice;
  readonly legs?: readonly Leg[];
  readonly description: string;
  /** Why an adjustment or reversal is made. */
  readonly reason?: string;
  readonly quoteId?: QuoteId;
  /** The transfer that is taken back. */
  readonly reversesId?: TransferId;
  /** ISO date, where it is not the day of the booking. */
  readonly valueDate?: string;
  readonly approvalSeconds?: number;
}

/** What people decide on a waiting transfer. */
export const personalDecisions = ['execute', 'reject', 'cancel'] as const;
export type PersonalDecision = (typeof personalDecisions)[number];

/** Accepted decisions wait for the process; then they are done, or refused by the books. */
export const decisionStates = ['accepted', 'done', 'refused'] as const;

/**
 * What moves a waiting transfer on: a row that the books look up, or the clock. Whoever reaches a process can name a row, and
 * decide nothing that is not in it.
 */
export type TransferStep =
  /** Somebody has decided. */
  | { readonly source: 'decision'; readonly id: DecisionId }
  /** A flag of the paying account was cleared. */
  | { readonly source: 'flag'; readonly id: string }
  /** The rail has reported; `id` is the report's message id. */
  | { readonly source: 'report'; readonly id: string }
  /** A wait may be over: the approval has expired, the rail's window is open, or no flag is left. */
  | { readonly source: 'time' };

/** What the process of a movement starts with: ids, and nothing that somebody could put another amount into. */
export interface Movement {
  readonly id: TransferId;
  readonly kind: TransferKind;
  readonly customerId: UserId;
}

/** The input of the process of a row, and nothing else of the row. */
export function movementOf({ id, kind, customerId }: Movement): Movement {
  return { id, kind, customerId };
}

/** A transfer as its process knows it. */
export interface TransferState {
  readonly status: TransferStatus;
  /** Seconds left of a wait that time ends: for the approval, or until the rail's window opens. */
  readonly waitSeconds?: number;
  /** A decision that was accepted and not yet carried out. */
  readonly decision?: DecisionId;
}
