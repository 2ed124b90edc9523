/** A card, from the day on which it is issued to its end: sent, activated, renewed in time, expired. */
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { CardStatus } from '../../domain/cards/cards.ts';
import type { CardId } from '../../domain/ids.ts';
import { businessClock } from '../clock/waiting.ts';
import { unlessPermanent } from '../permanent.ts';
import { onHousekeeping, type Carried } from '../queues.ts';
import { searchAttributes } from '../search-attributes.ts';
import { takesAlways } from '../seals.ts';
import { changed, type CardOrder, type CardStep } from './contract.ts';

/** The effect of its steps. */
export interface CardActivities extends Carried<'housekeeping'> {
  /** Does what is due by the bank's clock: sends it, renews it, or closes it after its last day; and charges its fees. Safe to repeat. */
  carryCardOn(id: CardId): Promise<CardStep>;
}

const { carryCardOn } = onHousekeeping<CardActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
});

/** A step that can never be done is tried again the next day, by when somebody may have repaired its row. */
const UNKNOWN: CardStep = { status: 'active', renewedBy: null, lookAgainInSeconds: 86_400 };

/**
 * Sleeps until something is due, or its row has changed. Every step reads the row, so a wake-up too many does nothing. In the life of a
 * card there are a handful, so its history never needs to be begun anew. Cancelling the run does nothing: the watch would begin it again.
 */
export function card(order: CardOrder): Promise<void> {
  return CancellationScope.nonCancellable(() => story(order));
}

async function story(order: CardOrder): Promise<void> {
  let isChanged = false;
  const clock = businessClock();
  setHandler(
    changed,
    () => {
      isChanged = true;
    },
    { description: 'The card was activated or closed: look at its row', validator: takesAlways },
  );
  for (;;) {
    isChanged = false;
    const step = await unlessPermanent(carryCardOn(order.id), UNKNOWN);
    show(step);
    if (step.status === 'closed') break;
    const wait = { summary: 'until the card is renewed or expires' };
    await clock.wait(() => isChanged, step.lookAgainInSeconds, wait);
  }
  await condition(allHandlersFinished);
}

/** What operators see in the list and on the page of the run. */
function show({ status, renewedBy }: CardStep): void {
  upsertSearchAttributes([{ key: searchAttributes.status, value: status }]);
  const renewed = renewedBy === null ? '' : ` Card ${renewedBy} follows it.`;
  setCurrentDetails(`${DETAILS[status]}${renewed}`);
}

const DETAILS: Readonly<Record<CardStatus, string>> = {
  inactive: 'Sent: waits for its holder to activate it.',
  active: 'In use.',
  blocked: 'Blocked by its holder or by the bank.',
  closed: 'Closed.',
};
