/** Scheduled and standing transfers: the round that starts what is due, and one day of one of them. */
import {
  continueAsNew,
  ParentClosePolicy,
  patched,
  proxyActivities,
  setCurrentDetails,
  sleep,
  startChild,
  upsertSearchAttributes,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { ScheduledTransferActivities } from './contract.ts';
import { isRefused, type Refused } from '../../domain/process.ts';
import { searchAttributes } from '../search-attributes.ts';
import type { ScheduledRun } from '../../domain/transfers/scheduled-transfers.ts';
import type { TransferState } from '../../domain/transfers/transfers.ts';
import { transferProcess } from '../transfer/process.ts';
import { transfer } from '../transfer/workflow.ts';

const { startDueRuns, orderOfRun, isBegun, tellRefusal } = proxyActivities<ScheduledTransferActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '1m' },
});

const BATCH = 100;
const BATCHES_A_RUN = 200;
/** A refusal comes at once, unless the workers are away; a transfer that waits for somebody is not waited for. */
const FIRST_ANSWER = '5 minutes';
const ASKS_THE_ROW = 'asks-the-row';

/** Started by its schedule; starts the process of each day that has come. */
export async function scheduledTransfers(): Promise<void> {
  for (let batch = 0; batch < BATCHES_A_RUN; batch++) if ((await startDueRuns(BATCH)) < BATCH) return;
  await continueAsNew<typeof scheduledTransfers>();
}

/** One day: the transfer is priced as of now and begun like any other; where it is refused, its customer is told. */
export async function scheduledTransfer(run: ScheduledRun): Promise<void> {
  const order = await orderOfRun(run);
  const outcome = isRefused(order) ? order : await begun(order);
  if (outcome !== undefined && isRefused(outcome)) await tellRefusal(run, outcome.refused);
  const status = outcome === undefined ? 'waiting' : isRefused(outcome) ? 'refused' : outcome.status;
  upsertSearchAttributes([{ key: searchAttributes.status, value: status }]);
  setCurrentDetails(`The transfer is ${status}.`);
}

/** Its end where that comes soon, undefined where it waits. */
async function begun(order: Parameters<typeof transfer>[0]): Promise<TransferState | Refused | undefined> {
  try {
    const child = await startChild(transfer, {
      workflowId: transferProcess.workflowId(order.id),
      args: [order],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      staticSummary: transferProcess.summary(order),
      typedSearchAttributes: [
        { key: searchAttributes.process, value: transferProcess.name },
        { key: searchAttributes.status, value: 'started' },
        { key: searchAttributes.customer, value: order.customerId },
      ],
    });
    const ended = child.result();
    for (;;) {
      const outcome = await Promise.race([ended, sleep(FIRST_ANSWER).then(() => undefined)]);
      // without its row it may still be refused, and somebody must be told
      if (outcome !== undefined || !patched(ASKS_THE_ROW) || (await isBegun(order.id))) return outcome;
    }
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
    throw error;
  }
}
