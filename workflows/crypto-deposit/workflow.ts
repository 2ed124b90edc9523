/**
 * A deposit of coins from its first sight to its booking. The custodian is asked whenever it has told something, and from time to time
 * in case that was lost; nothing is booked before it was asked.
 */
import {
  CancellationScope,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { CryptoDepositId } from '../../domain/ids.ts';
import { unlessPermanent } from '../permanent.ts';
import { onOutside, type Carried } from '../queues.ts';
import { searchAttributes } from '../search-attributes.ts';
import { takesAlways } from '../seals.ts';
import { look, type DepositOrder, type DepositStep } from './contract.ts';

/** The effects of its steps. */
export interface DepositActivities extends Carried<'outside'> {
  /** Asks the custodian how a deposit is, notes it, and books it if that is final. Safe to repeat. */
  lookAtDeposit(deposit: CryptoDepositId): Promise<DepositStep>;
}

const { lookAtDeposit } = onOutside<DepositActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** While only blocks are missing it is asked again soon; else what the custodian tells is waited for. */
const FIRST_PAUSE_SECONDS = { near: 5, far: 60 };
const LONGEST_PAUSE_SECONDS = 600;

/** A look that fails for good is taken again later: somebody may have mended its cause by then. */
const UNKNOWN: DepositStep = { status: 'pending', isOpen: true, isNear: false, isAway: true };

/** Ends once the deposit is booked, and begins again if the chain takes it back. Cancelling the run does nothing: the watch would begin it again. */
export function cryptoDeposit(order: DepositOrder): Promise<void> {
  return CancellationScope.nonCancellable(() => story(order));
}

async function story(order: DepositOrder): Promise<void> {
  let told = 1;
  setHandler(
    look,
    () => {
      told += 1;
      return {};
    },
    { description: 'The custodian has told something: ask it', validator: takesAlways },
  );

  for (let pauses = 0; ; pauses += 1) {
    const heard = told;
    const step = await unlessPermanent(lookAtDeposit(order.id), UNKNOWN);
    show(step);
    if (!step.isOpen && told === heard) return;
    const first = FIRST_PAUSE_SECONDS[step.isNear ? 'near' : 'far'];
    const pause = Math.min(first * 2 ** pauses, LONGEST_PAUSE_SECONDS);
    // what was told while the custodian was asked is not waited for
    if (await condition(() => told > heard, pause * 1_000)) pauses = -1;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof cryptoDeposit>(order);
  }
}

/** What operators see in the list and on the page of the run. */
function show({ status, isOpen, isNear, isAway }: DepositStep): void {
  upsertSearchAttributes([{ key: searchAttributes.status, value: status }]);
  const why = isAway
    ? 'The custodian does not answer.'
    : isNear
      ? 'The custodian has completed it; the bank waits for more blocks.'
      : 'The custodian has not completed it.';
  setCurrentDetails(isOpen ? why : `The deposit is ${status}.`);
}
