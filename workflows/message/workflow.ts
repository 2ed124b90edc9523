/** The delivery of one message. */
import {
  ActivityFailure,
  CancellationScope,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { onOutside } from '../queues.ts';
import { searchAttributes } from '../search-attributes.ts';
import type { MessageOrder, MessageOutcome } from './contract.ts';

const { giveUpMessage } = onOutside({ startToCloseTimeout: '10s' });

/**
 * Tries again while a delivery still makes sense, then gives up. Ends delivered or failed. Cancelling the run does nothing: the code
 * in the message would never be erased.
 */
export function message(order: MessageOrder): Promise<MessageOutcome> {
  return CancellationScope.nonCancellable(() => story(order));
}

async function story(order: MessageOrder): Promise<MessageOutcome> {
  const { deliverMessage } = onOutside({
    startToCloseTimeout: '30s',
    scheduleToCloseTimeout: order.deliverWithinSeconds * 1_000,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
  });
  setCurrentDetails('Is being delivered; tried again until its time is over.');
  const outcome = await deliverMessage(order.id).catch((error: unknown) => {
    if (error instanceof ActivityFailure) return giveUpMessage(order.id);
    throw error;
  });
  upsertSearchAttributes([{ key: searchAttributes.status, value: outcome }]);
  setCurrentDetails(
    outcome === 'delivered' ? 'Delivered.' : 'Given up: the recipient was refused, or its time was over.',
  );
  return outcome;
}
