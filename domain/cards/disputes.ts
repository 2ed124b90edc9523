/** Disputes: what a holder says was wrong with a card payment, and what becomes of it. */

/**
 * `filed`: the bank has accepted it, the holder has the money provisionally, and the network decides. `refunded`: the merchant has given
 * all of it back.
 */
export const DISPUTE_STATUSES = [
  'in_review',
  'filed',
  'won',
  'lost',
  'rejected',
  'withdrawn',
  'refunded',
] as const;
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

export const NETWORK_OUTCOMES = ['won', 'lost'] as const;
export type NetworkOutcome = (typeof NETWORK_OUTCOMES)[number];

export const DISPUTE_DECISIONS = ['accept', 'reject'] as const;
export type DisputeDecision = (typeof DISPUTE_DECISIONS)[number];

interface Terms {
  /** Days after the booking until which it can be disputed. */
  readonly days: number;
  /** Business days within which the bank decides. */
  readonly reviewDays: number;
}

/** The card schemes take claims within 120 days; ten business days are what holders are promised. */
const CLAIM: Terms = { days: 120, reviewDays: 10 };

/**
 * Why a payment is disputed. What somebody else has paid can be told for thirteen months and is given back by the end of the next
 * business day (Directive (EU) 2015/2366, Articles 71 and 73).
 */
export const DISPUTE_TERMS = {
  unauthorised: { days: 395, reviewDays: 1 },
  duplicate: CLAIM,
  wrong_amount: CLAIM,
  not_received: CLAIM,
  not_as_described: CLAIM,
  cancelled: CLAIM,
  credit_not_processed: CLAIM,
} as const satisfies Record<string, Terms>;
export type DisputeReason = keyof typeof DISPUTE_TERMS;

export const DISPUTE_REASONS = Object.keys(DISPUTE_TERMS) as readonly DisputeReason[];

/** Files that one dispute may carry, those still expected included. */
export const MAX_DISPUTE_FILES = 20;
