/** Scheduled and standing transfers: the round that starts what is due, and one day of one of them. */
import { continueAsNew, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { isRefused, type Refused } from '../../domain/process.ts';
import type { RefusalCode } from '../../domain/refusals.ts';
import { IMPOSSIBLE, unlessPermanent } from '../permanent.ts';
import { onHousekeeping, type Carried } from '../queues.ts';
import { searchAttributes } from '../search-attributes.ts';
import type { ScheduledRun } from '../../domain/transfers/scheduled-transfers.ts';
import type { TransferState } from '../../domain/transfers/transfers.ts';

/** The effects of its steps. */
export interface ScheduledTransferActivities extends Carried<'housekeeping'> {
  /** Starts the processes of at most so many days that have come; answers how many. */
  startDueRuns(most: number): Promise<number>;
  /** Prices the transfer of a day as of now and orders it, once; answers its status. */
  takeRun(run: ScheduledRun): Promise<Pick<TransferState, 'status'> | Refused>;
  /** Keeps why a day moved nothing, and tells its customer, once. */
  tellRefusal(run: ScheduledRun, code: RefusalCode): Promise<void>;
}

const { startDueRuns, takeRun, tellRefusal } = onHousekeeping<ScheduledTransferActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '1m' },
});

const BATCH = 100;
const BATCHES_A_RUN = 200;

/** Started by its schedule; starts the process of each day that has come. */
export async function scheduledTransfers(): Promise<void> {
  for (let batch = 0; batch < BATCHES_A_RUN; batch++) if ((await startDueRuns(BATCH)) < BATCH) return;
  await continueAsNew<typeof scheduledTransfers>();
}

/** One day: the transfer is priced as of now and ordered like any other; where it is refused, its customer is told. */
export async function scheduledTransfer(run: ScheduledRun): Promise<void> {
  const outcome = await unlessPermanent(takeRun(run), IMPOSSIBLE);
  if (isRefused(outcome)) await tellRefusal(run, outcome.refused);
  const status = isRefused(outcome) ? 'refused' : outcome.status;
  upsertSearchAttributes([{ key: searchAttributes.status, value: status }]);
  setCurrentDetails(`The transfer is ${status}.`);
}
