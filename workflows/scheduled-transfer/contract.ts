/** All that others may know of the process of one day of a scheduled transfer. */
import type { Refused } from '../../domain/process.ts';
import type { RefusalCode } from '../../domain/refusals.ts';
import type { ScheduledRun } from '../../domain/transfers/scheduled-transfers.ts';
import type { TransferState } from '../../domain/transfers/transfers.ts';

/** The effects of its steps. */
export interface ScheduledTransferActivities {
  /** Starts the processes of at most so many days that have come; answers how many. */
  startDueRuns(most: number): Promise<number>;
  /** Prices the transfer of a day as of now and orders it, once; answers its status. */
  takeRun(run: ScheduledRun): Promise<Pick<TransferState, 'status'> | Refused>;
  /** Keeps why a day moved nothing, and tells its customer, once. */
  tellRefusal(run: ScheduledRun, code: RefusalCode): Promise<void>;
}
