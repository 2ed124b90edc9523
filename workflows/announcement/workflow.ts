/** An announcement, from the first person who is told to the last delivery. */
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { AnnouncementId } from '../../domain/ids.ts';
import type { AnnouncementStatus } from '../../domain/notifications/notifications.ts';
import { onHousekeeping, type Carried } from '../queues.ts';
import { searchAttributes } from '../search-attributes.ts';
import { takesAlways } from '../seals.ts';
import { stopped, type AnnouncementOrder } from './contract.ts';

/** The effect of its steps. */
export interface AnnouncementActivities extends Carried<'housekeeping'> {
  /** Tells the next people, or ends it once all were told and nothing waits to be sent. Says when to come back. */
  goOnTelling(
    id: AnnouncementId,
  ): Promise<{ readonly status: AnnouncementStatus; readonly told: number; readonly againInSeconds: number }>;
}

const { goOnTelling } = onHousekeeping<AnnouncementActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** After so many steps the history is begun anew. */
const STEPS_A_RUN = 500;

/**
 * Tells people in pages, no faster than the mail goes out, so that one that is stopped has not been written to everybody. Cancelling the run
 * does nothing: it would be begun again from its row.
 */
export function announcement(order: AnnouncementOrder): Promise<void> {
  return CancellationScope.nonCancellable(() => story(order));
}

async function story(order: AnnouncementOrder): Promise<void> {
  let isStopped = false;
  setHandler(
    stopped,
    () => {
      isStopped = true;
    },
    { description: 'The announcement was stopped: look at its row', validator: takesAlways },
  );
  for (let step = 0; ; step++) {
    const { status, told, againInSeconds } = await goOnTelling(order.id);
    if (status !== 'sending') {
      upsertSearchAttributes([{ key: searchAttributes.status, value: status }]);
      setCurrentDetails(`Ended as ${status}: ${told} people were told.`);
      break;
    }
    setCurrentDetails(`${told} people were told so far.`);
    if (againInSeconds > 0)
      await condition(() => isStopped, againInSeconds * 1_000, { summary: 'until mail has gone out' });
    if (step === STEPS_A_RUN) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof announcement>(order);
    }
  }
  await condition(allHandlersFinished);
}
