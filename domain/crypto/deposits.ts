/** Deposits of coins. */

/**
 * `pending`: the network has not confirmed it often enough; `below_minimum`: too small to be credited; `under_review`: the bank looks
 * whose it is; `reversed`: the chain has dropped the transaction, and what was credited is taken back.
 */
export const DEPOSIT_STATUSES = ['pending', 'credited', 'below_minimum', 'under_review', 'reversed'] as const;
export type DepositStatus = (typeof DEPOSIT_STATUSES)[number];

/**
 * Why somebody must look at a deposit: it cannot be said whose it is, the custodian has said different things of it, or the
 * money-laundering watch holds it.
 */
export const DEPOSIT_FAULTS = [
  ...(['no_memo', 'unknown_memo', 'unknown_address', 'told_otherwise'] as const),
  'aml_review',
] as const;
export type DepositFault = (typeof DEPOSIT_FAULTS)[number];

/** Why what is told changes nothing, and somebody must look: another transaction of the custodian has brought the same, or a booked deposit is something else now. */
export const TOLD_FAULTS = ['same_place', 'told_otherwise'] as const;
export type ToldFault = (typeof TOLD_FAULTS)[number];

/** Where a transaction stands by the custodian. `moving` may become either of the others, and either may become `moving` again. */
export const TRANSFER_STATUSES = ['moving', 'completed', 'failed'] as const;
export type TransferStatus = (typeof TRANSFER_STATUSES)[number];

/** What is booked of a deposit: to its customer, to the bank because it is too small, or to suspense; and what takes it back. */
export const BOOKING_KINDS = ['credit', 'dust', 'suspense', 'reversal'] as const;
