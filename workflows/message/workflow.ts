/** The delivery of one message. */
import {
  ActivityFailure,
  CancellationScope,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { MessageId } from '../../domain/ids.ts';
import { onOutside, type Carried } from '../queues.ts';
import { searchAttributes } from '../search-attributes.ts';
import type { MessageOrder, MessageOutcome } from './contract.ts';

/** The effects of its steps. */
export interface MessageActivities extends Carried<'outside'> {
  /** Sends it, once as far as can be told: a repeat carries the same Message-ID. Throws where the way out is closed for now. */
  deliverMessage(id: MessageId): Promise<MessageOutcome>;
  /** Its time is over: erases what it held. */
  giveUpMessage(id: MessageId): Promise<MessageOutcome>;
}

const { giveUpMessage } = onOutside<MessageActivities>({ startToCloseTimeout: '10s' });

/**
 * Tries again while a delivery still makes sense, then gives up. Ends delivered or failed. Cancelling the run does nothing: the code
 * in the message would never be erased.
 */
export function message(order: MessageOrder): Promise<MessageOutcome> {
  return CancellationScope.nonCancellable(() => story(order));
}

async function story(order: MessageOrder): Promise<MessageOutcome> {
  const { deliverMessage } = onOutside<MessageActivities>({
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
