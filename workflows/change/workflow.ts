/** A change that waits for a second administrator, until somebody or time has decided. */
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { ChangeOrder, ChangeState } from '../../domain/changes.ts';
import type { ChangeId } from '../../domain/ids.ts';
import { unlessPermanent } from '../permanent.ts';
import { onMoney, type Carried } from '../queues.ts';
import { searchAttributes } from '../search-attributes.ts';
import { takesAlways } from '../seals.ts';
import { businessClock } from '../clock/waiting.ts';
import { decided } from './contract.ts';

/** The effect of its steps. */
export interface ChangeActivities extends Carried<'money'> {
  /** Lets a change expire whose time is over, reminds those who let it lie, and says when to look again. */
  lookAtChange(
    id: ChangeId,
    remindSeconds: number,
  ): Promise<{ readonly state: ChangeState; readonly lookAgainInSeconds: number }>;
}

const { lookAtChange } = onMoney<ChangeActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** A change that cannot be looked at still takes decisions; it is looked at again the next day. */
const UNKNOWN = { state: { status: 'open' }, lookAgainInSeconds: 86_400 } as const;

/**
 * Reminds those who could decide and lets the change expire in the end. It neither decides nor applies anything: an approval applies
 * the change in its own transaction, and this process is only told to look. Cancelling the run does nothing.
 */
export function change(order: ChangeOrder): Promise<void> {
  return CancellationScope.nonCancellable(() => story(order));
}

async function story(order: ChangeOrder): Promise<void> {
  let told = 0;
  const clock = businessClock();
  setHandler(
    decided,
    () => {
      told += 1;
    },
    { description: 'The change was decided: look at its row', validator: takesAlways },
  );

  setCurrentDetails('Waits for the decision of a second administrator.');
  for (;;) {
    const heard = told;
    const look = lookAtChange(order.id, order.remindSeconds);
    const { state, lookAgainInSeconds } = await unlessPermanent(look, UNKNOWN);
    if (state.status !== 'open') {
      upsertSearchAttributes([{ key: searchAttributes.status, value: state.status }]);
      setCurrentDetails(`Ended as ${state.status}.`);
      break;
    }
    const wait = { summary: 'until administrators are reminded or the change expires' };
    await clock.wait(() => told > heard, lookAgainInSeconds, wait);
  }
  await condition(allHandlersFinished);
}
