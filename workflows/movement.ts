/** The story that transfers and adjustments share. */
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  Trigger,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { TransferActivities } from '../activities/transfers.ts';
import { isRefused, searchAttributes, type Refused } from '../domain/process.ts';
import {
  mayExecute,
  type TransferDecision,
  type TransferOrder,
  type TransferState,
} from '../domain/transfers.ts';
import { refuse } from './refuse.ts';
import { decide, opened } from './transfer/contract.ts';

const retry = { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' } as const;

// opening is one round trip to the books and safe to repeat: run inside the workflow task, it saves a task and its events
const { openTransfer } = proxyLocalActivities<TransferActivities>({ startToCloseTimeout: '10s', retry });
const { decideTransfer } = proxyActivities<TransferActivities>({ startToCloseTimeout: '10s', retry });

/**
 * From request to booked money, or back. Under the approval threshold the money is booked at once; above it, and for every
 * adjustment, it is held until somebody decides or the time for it is over.
 * Ends executed, rejected, cancelled, expired or failed; or refused, with nothing done. Cancelling the run (rather than deciding to
 * cancel) does nothing: the money would stay held with nobody left to free it.
 */
export function movement(order: TransferOrder): Promise<TransferState | Refused> {
  return CancellationScope.nonCancellable(() => story(order));
}

async function story(order: TransferOrder): Promise<TransferState | Refused> {
  const opening = openTransfer(order);
  const concluded = new Trigger<TransferState | Refused>();
  let decision: TransferDecision | undefined;
  // from the start: after a crash the row may wait already while this run still looks at it again
  let decidable = true;

  setHandler(opened, () => opening, {
    description: 'The first answer: executed, waiting for approval, or refused',
  });
  setHandler(
    decide,
    async (asked) => {
      decision = asked;
      decidable = false; // from here a second decision is refused, not lost
      return await concluded;
    },
    {
      description: 'Execute, reject or cancel while it waits for approval',
      validator: (asked: TransferDecision) => {
        if (!decidable) throw refuse('transfer_not_pending');
        if (asked.kind === 'execute' && !mayExecute(order, asked.by)) throw refuse('same_person');
      },
    },
  );

  let outcome = await opening;
  if (!isRefused(outcome) && outcome.status === 'pending_approval') {
    show('pending_approval', 'Waits for the decision of an administrator other than the one who asked.');
    await condition(() => decision !== undefined, (outcome.approvalSeconds ?? 0) * 1_000);
    decidable = false;
    outcome = await decideTransfer(
      order.id,
      decision ?? { kind: 'expire', by: null, role: 'system', reason: null },
    );
    concluded.resolve(outcome);
  } else {
    decidable = false;
    concluded.resolve({ refused: 'transfer_not_pending' });
  }
  show(
    isRefused(outcome) ? 'refused' : outcome.status,
    isRefused(outcome) ? `Refused: ${outcome.refused}` : `Ended as ${outcome.status}.`,
  );
  await condition(allHandlersFinished);
  return outcome;
}

/** What operators see in the list and on the page of the run. */
function show(status: string, details: string): void {
  upsertSearchAttributes([{ key: searchAttributes.status, value: status }]);
  setCurrentDetails(details);
}
