/** Flags of the money-laundering watch: what somebody has to look at, and how it ends. */

export const FLAG_KINDS = ['rule', 'sanctions', 'manual'] as const;

export const FLAG_STATUSES = [
  'open',
  'in_review',
  'escalated',
  'cleared',
  'false_positive',
  'confirmed',
] as const;
export type FlagStatus = (typeof FLAG_STATUSES)[number];

/** Why a flag is there: a rule has hit, a movement could not be checked, or somebody has raised it. */
export const FLAG_REASONS = ['hit', 'not_checked', 'raised'] as const;

export const FLAG_SUBJECTS = [
  'transfer',
  'card_payment',
  'crypto_withdrawal',
  'crypto_deposit',
  'customer',
  'account',
  'kyc_application',
  'kyb_application',
  'beneficiary',
] as const;

export const HIT_OUTCOMES = ['hit', 'not_checked', 'suppressed', 'shadow'] as const;

export const FLAG_EVENTS = [
  'opened',
  'hit',
  'assigned',
  'escalated',
  'commented',
  'attached',
  'resolved',
  'confirmed',
  'second_review',
  'reopened',
  'checked_again',
  'report',
] as const;

/** Why a rule has hit: each comparison with its values at that moment, the movements counted, and a sentence. */
export interface Explanation {
  readonly text: string;
  readonly leaves: readonly unknown[];
  readonly movements: readonly string[];
  readonly [more: string]: unknown;
}

/** A report of suspicious activity is a draft until it was filed with the authority. */
export const REPORT_STATUSES = ['draft', 'filed'] as const;
