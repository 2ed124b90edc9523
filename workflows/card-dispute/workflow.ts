/** A dispute of a card payment: decided by the bank, told to the network, answered by it. */
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { DisputeStatus } from '../../domain/cards/disputes.ts';
import type { CardDisputeId } from '../../domain/ids.ts';
import { businessClock } from '../clock/waiting.ts';
import { unlessPermanent } from '../permanent.ts';
import { onHousekeeping, onOutside, type Carried } from '../queues.ts';
import { takesAlways } from '../seals.ts';
import { searchAttributes } from '../search-attributes.ts';
import { changed, type DisputeOrder, type DisputeStep } from './contract.ts';

/** The steps that the books take. */
export interface DisputeActivities extends Carried<'housekeeping'> {
  /** Takes back what the merchant has given back as well, and reminds people of what is due. Safe to repeat. */
  carryDisputeOn(id: CardDisputeId): Promise<DisputeStep>;
}

/** The steps that reach the network. */
export interface DisputeNetworkActivities extends Carried<'outside'> {
  /** Leaves the claim for the network as it is now. Answers true; safe to repeat. */
  tellNetworkOfDispute(id: CardDisputeId): Promise<boolean>;
}

const retry = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' } as const;
const { carryDisputeOn } = onHousekeeping<DisputeActivities>({ startToCloseTimeout: '30s', retry });
const { tellNetworkOfDispute } = onOutside<DisputeNetworkActivities>({ startToCloseTimeout: '30s', retry });

const DAY_SECONDS = 86_400;
/** A step that can never be done is tried again the next day, by when somebody may have repaired its row. */
const UNKNOWN: DisputeStep = {
  status: 'in_review',
  isUntold: false,
  isOverdue: false,
  lookAgainInSeconds: DAY_SECONDS,
};

/** Sleeps until the next deadline, or until its row has changed. Cancelling the run does nothing: the watch would begin it again. */
export function cardDispute(order: DisputeOrder): Promise<void> {
  return CancellationScope.nonCancellable(() => story(order));
}

async function story(order: DisputeOrder): Promise<void> {
  let isChanged = false;
  let telling: Promise<void> | undefined;
  const clock = businessClock();
  setHandler(
    changed,
    () => {
      isChanged = true;
    },
    { description: 'The dispute has gone on: look at its row', validator: takesAlways },
  );
  async function tell(): Promise<void> {
    const isTold = await unlessPermanent(tellNetworkOfDispute(order.id), false);
    if (!isTold) await sleep(DAY_SECONDS * 1_000, { summary: 'until the network is told once more' });
    telling = undefined;
    isChanged = true;
  }

  for (;;) {
    isChanged = false;
    const step = await unlessPermanent(carryDisputeOn(order.id), UNKNOWN);
    show(step);
    // the network may be out of reach while the deadline passes or the merchant gives something back
    if (step.isUntold) telling ??= tell();
    if (step.lookAgainInSeconds === 0 && telling === undefined) break;
    const wait = { summary: WAITS[step.status] };
    await clock.wait(() => isChanged, step.lookAgainInSeconds || DAY_SECONDS, wait);
  }
  await condition(allHandlersFinished);
}

/** What operators see in the list and on the page of the run. */
function show({ status, isOverdue }: DisputeStep): void {
  upsertSearchAttributes([{ key: searchAttributes.status, value: status }]);
  setCurrentDetails(isOverdue ? `${DETAILS[status]} It is overdue.` : DETAILS[status]);
}

const DETAILS: Readonly<Record<DisputeStatus, string>> = {
  in_review: 'Waits for the decision of the bank.',
  filed: 'Accepted: the holder has the money provisionally. Waits for the answer of the network.',
  won: 'Won: the network has paid.',
  lost: 'Lost: the provisional credit was taken back.',
  rejected: 'Rejected by the bank.',
  withdrawn: 'Withdrawn by the holder.',
  refunded: 'Ended: the merchant has given the money back.',
};

const TELLS = 'until the network is told';
const WAITS: Readonly<Record<DisputeStatus, string>> = {
  in_review: 'until the decision of the bank is due',
  filed: 'until the answer of the network is due',
  won: TELLS,
  lost: TELLS,
  rejected: TELLS,
  withdrawn: TELLS,
  refunded: TELLS,
};
