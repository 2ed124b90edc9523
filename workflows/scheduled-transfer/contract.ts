/** All that others may know of the process of one day of a scheduled transfer. */
import type { TransferId } from '../../domain/ids.ts';
import type { Refused } from '../../domain/process.ts';
import type { RefusalCode } from '../../domain/refusals.ts';
import type { ScheduledRun } from '../../domain/transfers/scheduled-transfers.ts';
import type { TransferOrder } from '../../domain/transfers/transfers.ts';

/** The effects of its steps. */
export interface ScheduledTransferActivities {
  /** Starts the processes of at most so many days that have come; answers how many. */
  startDueRuns(most: number): Promise<number>;
  /** The order of a day, priced as of now. */
  orderOfRun(run: ScheduledRun): Promise<TransferOrder | Refused>;
  /** Whether the transfer of a day has its row: it is not refused then. */
  isBegun(id: TransferId): Promise<boolean>;
  /** Keeps why a day moved nothing, and tells its customer, once. */
  tellRefusal(run: ScheduledRun, code: RefusalCode): Promise<void>;
}
