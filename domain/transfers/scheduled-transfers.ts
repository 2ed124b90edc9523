/** Transfers for later: on a day, or again and again. */
import type { ScheduledTransferId, TransferId, UserId } from '../ids.ts';

export const repeatUnits = ['day', 'week', 'month'] as const;
export type RepeatUnit = (typeof repeatUnits)[number];

export const scheduledTransferStatuses = ['active', 'completed', 'cancelled'] as const;
export type ScheduledTransferStatus = (typeof scheduledTransferStatuses)[number];

/** How far ahead the first day may lie. */
export const MOST_DAYS_AHEAD = 366;

/** One day of a scheduled transfer that has come. The transfer's id is given with it, so that a repeat moves nothing twice. */
export interface ScheduledRun {
  readonly scheduledTransferId: ScheduledTransferId;
  readonly transferId: TransferId;
  readonly userId: UserId;
  /** ISO 8601 day. */
  readonly dueOn: string;
}
