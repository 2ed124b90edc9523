/** The states of a transfer (or adjustment) and the moves between them. The table `transfer_moves` says the same; a test compares. */
export const transferStatuses = [
  'pending_approval',
  'executed',
  'rejected',
  'cancelled',
  'expired',
  'failed',
] as const;
export type TransferStatus = (typeof transferStatuses)[number];

export const transferMoves: Readonly<Record<TransferStatus, readonly TransferStatus[]>> = {
  pending_approval: ['executed', 'rejected', 'cancelled', 'expired', 'failed'],
  executed: [],
  rejected: [],
  cancelled: [],
  expired: [],
  failed: [],
};

/** How long a quote binds, in seconds. */
export const QUOTE_SECONDS = 60;

/** How long an adjustment waits for the second administrator, in seconds: three days. */
export const ADJUSTMENT_APPROVAL_SECONDS = 3 * 24 * 3600;
