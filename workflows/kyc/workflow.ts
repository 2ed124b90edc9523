/**
 * The check of a person or a company: its customer hands documents in, the bank reviews them, what was asked for comes in time or not, and
 * an approval is renewed or expires.
 */
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { ApplicationStatus } from '../../domain/compliance/applications.ts';
import type { ApplicationId } from '../../domain/ids.ts';
import { businessClock } from '../clock/waiting.ts';
import { unlessPermanent } from '../permanent.ts';
import { onHousekeeping, type Carried } from '../queues.ts';
import { takesAlways } from '../seals.ts';
import { searchAttributes } from '../search-attributes.ts';
import { changed, type ApplicationOrder, type ApplicationStep } from './contract.ts';

export interface KycActivities extends Carried<'housekeeping'> {
  /** Reminds the customer, or lets the application or its approval expire, if that is due. Safe to repeat. */
  carryKycOn(id: ApplicationId): Promise<ApplicationStep>;
}

const { carryKycOn } = onHousekeeping<KycActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
});

/** A step that can never be done is tried again the next day, by when somebody may have repaired its row. */
const UNKNOWN: ApplicationStep = { status: 'in_review', lookAgainInSeconds: 86_400 };

/** Sleeps until something is due, or until its row has changed. Cancelling the run does nothing: the watch would begin it again. */
export function kyc(order: ApplicationOrder): Promise<void> {
  return CancellationScope.nonCancellable(() => story(order));
}

/** That of a company. Those of its people are processes of their own. */
export const kyb = kyc;

async function story(order: ApplicationOrder): Promise<void> {
  let isChanged = false;
  const clock = businessClock();
  setHandler(
    changed,
    () => {
      isChanged = true;
    },
    { description: 'The application has another status: look at its row', validator: takesAlways },
  );

  for (;;) {
    isChanged = false;
    const { status, lookAgainInSeconds } = await unlessPermanent(carryKycOn(order.id), UNKNOWN);
    upsertSearchAttributes([{ key: searchAttributes.status, value: status }]);
    setCurrentDetails(DETAILS[status]);
    if (lookAgainInSeconds === 0) break;
    await clock.wait(() => isChanged, lookAgainInSeconds, { summary: WAITS[status] });
  }
  await condition(allHandlersFinished);
}

/** What operators read on the page of the run. */
const DETAILS: Readonly<Record<ApplicationStatus, string>> = {
  submitted: 'Waits for documents of the customer.',
  in_review: 'Waits for the decision of a reviewer.',
  changes_requested: 'Waits for changes by the customer.',
  approved: 'Approved: waits until it has to be renewed.',
  rejected: 'Rejected.',
  expired: 'Expired: what was asked for did not come in time, or an approval was not renewed.',
  withdrawn: 'Withdrawn by the customer.',
};

const REMINDS = 'until the customer is reminded, or the application expires';
const WAITS: Readonly<Record<ApplicationStatus, string>> = {
  submitted: REMINDS,
  in_review: 'until it is decided',
  changes_requested: REMINDS,
  approved: 'until it has to be renewed',
  rejected: 'ended',
  expired: 'ended',
  withdrawn: 'ended',
};
