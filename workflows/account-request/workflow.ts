/** A request to open an account, from its submission until somebody or time has decided. */
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  setCurrentDetails,
  setHandler,
  Trigger,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import {
  mayDecide,
  type AccountRequestDecision,
  type AccountRequestOrder,
  type AccountRequestState,
  type AccountRequestStatus,
} from '../../domain/accounts/account-requests.ts';
import { type Refused } from '../../domain/process.ts';
import { IMPOSSIBLE, unlessPermanent } from '../permanent.ts';
import type { AccountRequestId } from '../../domain/ids.ts';
import { onMoney, type Carried } from '../queues.ts';
import { searchAttributes } from '../search-attributes.ts';
import { businessClock } from '../clock/waiting.ts';
import { refuse } from '../refuse.ts';
import { takesAlways } from '../seals.ts';
import { looked, review } from './contract.ts';

/** The effects of its steps. */
export interface AccountRequestActivities extends Carried<'money'> {
  /** Expires a request whose time is over, reminds its reviewers if they let it lie, and says when to look again. */
  lookAtAccountRequest(
    id: AccountRequestId,
    remindSeconds: number,
  ): Promise<{ readonly state: AccountRequestState; readonly lookAgainInSeconds: number }>;
  /** Carries a decision out; an approval opens the account. A repeat answers as the first did; another's decision is refused. */
  decideAccountRequest(
    id: AccountRequestId,
    decision: AccountRequestDecision,
  ): Promise<AccountRequestState | Refused>;
}

const { lookAtAccountRequest, decideAccountRequest } = onMoney<AccountRequestActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** A request that can neither be reminded of nor expire still takes decisions; it is looked at again the next day. */
const UNKNOWN = { state: { status: 'pending', accountId: null }, lookAgainInSeconds: 86_400 } as const;

interface Asked {
  readonly decision: AccountRequestDecision;
  readonly concluded: Trigger<AccountRequestState | Refused>;
}

/**
 * Waits for the review; whoever may review is reminded as long as nobody does, and in the end the request expires. The account is
 * opened in the transaction of the approval. Cancelling the run does nothing: the request could not be decided any more.
 */
export function accountRequest(order: AccountRequestOrder): Promise<void> {
  return CancellationScope.nonCancellable(() => story(order));
}

async function story(order: AccountRequestOrder): Promise<void> {
  const asked: Asked[] = [];
  const first = new Trigger<AccountRequestState>();
  let over = false;
  const clock = businessClock();

  setHandler(looked, async () => await first, {
    description: 'The request as the process has first found it',
    validator: takesAlways,
  });
  setHandler(
    review,
    async (decision) => {
      if (over) return { refused: 'account_request_not_pending' };
      const concluded = new Trigger<AccountRequestState | Refused>();
      asked.push({ decision, concluded });
      return await concluded;
    },
    {
      description: 'Approve, reject or withdraw while it waits',
      validator: (decision: AccountRequestDecision) => {
        if (over) throw refuse('account_request_not_pending');
        if (!mayDecide(order, decision)) throw refuse('same_person');
      },
    },
  );

  setCurrentDetails('Waits for the review of an administrator.');
  for (;;) {
    const look = lookAtAccountRequest(order.id, order.remindSeconds);
    const { state, lookAgainInSeconds } = await unlessPermanent(look, UNKNOWN);
    first.resolve(state);
    if (state.status !== 'pending') {
      end(state.status);
      break;
    }
    const wait = { summary: 'until reviewers are reminded or the request expires' };
    await clock.wait(() => asked.length > 0, lookAgainInSeconds, wait);
    const next = asked.shift();
    if (next !== undefined) next.concluded.resolve(await carryOut(order, next.decision));
  }
  over = true;
  // who asked while another decided learns from the row what became of it; a repeat is told what it has done
  for (const { decision, concluded } of asked) concluded.resolve(await carryOut(order, decision));
  await condition(allHandlersFinished);
}

/** One that can never be carried out leaves the request as it is, open to the next decision: internal_error. */
function carryOut(
  { id }: AccountRequestOrder,
  decision: AccountRequestDecision,
): Promise<AccountRequestState | Refused> {
  return unlessPermanent(decideAccountRequest(id, decision), IMPOSSIBLE);
}

/** What operators see in the list and on the page of the run. */
function end(status: AccountRequestStatus): void {
  upsertSearchAttributes([{ key: searchAttributes.status, value: status }]);
  setCurrentDetails(`Ended as ${status}.`);
}
