/** A customer's wallets: the custodian is asked for those that are wanted until it has opened them all, and what they hold. */
import {
  ActivityFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { CryptoVaultId, CryptoWalletId } from '../../domain/ids.ts';
import type { Refused } from '../../domain/process.ts';
import { IMPOSSIBLE, unlessPermanent } from '../permanent.ts';
import { onOutside, type Carried } from '../queues.ts';
import { searchAttributes } from '../search-attributes.ts';
import { takesAlways } from '../seals.ts';
import { open, refresh, type WalletRefresh, type WalletsOrder, type WalletsStep } from './contract.ts';

/** The effects of its steps. */
export interface WalletActivities extends Carried<'outside'> {
  /** Has the custodian open the vault and the wallets that are wanted, as far as it does. Safe to repeat. */
  openWallets(vault: CryptoVaultId): Promise<WalletsStep>;
  /** Keeps what the custodian says that the wallet holds. Refuses unavailable. */
  refreshWallet(wallet: CryptoWalletId): Promise<{ readonly wallet: CryptoWalletId } | Refused>;
}

const { openWallets } = onOutside<WalletActivities>({
  // many calls; what was opened before it is over is noted
  startToCloseTimeout: '1m',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '1m' },
});
const { refreshWallet } = onOutside<WalletActivities>({
  startToCloseTimeout: '20s',
  // an administrator waits for the answer
  scheduleToCloseTimeout: '30s',
  retry: { initialInterval: '500ms', maximumAttempts: 2 },
});

/** After so long the caller is shown what is there, even if the custodian has not answered yet. */
const PATIENCE = '4s';
const FIRST_PAUSE_SECONDS = 2;
const LONGEST_PAUSE_SECONDS = 600;

/** A look that fails for good is taken again later: somebody may have corrected the rows by then. */
const UNKNOWN: WalletsStep = { left: 1, isAway: true, retryInSeconds: LONGEST_PAUSE_SECONDS };
const NOT_NOW: Refused = { refused: 'unavailable' };

/** Ends once all wallets are open and nobody asks. Cancelling the run does nothing: the watch would begin it again. */
export function cryptoWallets(order: WalletsOrder): Promise<void> {
  return CancellationScope.nonCancellable(() => story(order));
}

async function story(order: WalletsOrder): Promise<void> {
  let asked = 1;
  let answered = 0;
  let isAway = false;

  setHandler(
    open,
    async () => {
      // a custodian that is away is not asked more often because more people ask
      if (isAway) return {};
      asked += 1;
      const mine = asked;
      await condition(() => answered >= mine || isAway, PATIENCE);
      return {};
    },
    { description: 'A customer wants wallets: look at their rows', validator: takesAlways },
  );
  setHandler(refresh, ({ wallet }) => refreshed(wallet), {
    description: 'An administrator wants to know what the custodian holds',
    validator: takesAlways,
  });

  for (let [failures, before] = [0, Infinity]; ;) {
    const begun = asked;
    const step = await unlessPermanent(openWallets(order.id), UNKNOWN);
    answered = begun;
    show(step);
    if (step.left === 0) {
      await condition(() => asked > begun || allHandlersFinished());
      if (asked === begun) return;
      continue;
    }
    failures = step.left < before ? 0 : failures + 1;
    before = step.left;
    isAway = step.isAway;
    // wallets that are refused do not keep others waiting
    await condition(() => !isAway && asked > begun, pauseAfter(step, failures) * 1_000);
    isAway = false;
    if (workflowInfo().continueAsNewSuggested) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof cryptoWallets>(order);
    }
  }
}

/** Two seconds, four, eight, at most ten minutes; or longer within that, if the custodian asks for it. */
function pauseAfter({ retryInSeconds }: WalletsStep, failures: number): number {
  const pause = Math.max(FIRST_PAUSE_SECONDS * 2 ** failures, retryInSeconds ?? 0);
  return Math.min(pause, LONGEST_PAUSE_SECONDS);
}

async function refreshed(wallet: CryptoWalletId): Promise<WalletRefresh | Refused> {
  try {
    return await unlessPermanent(refreshWallet(wallet), IMPOSSIBLE);
  } catch (error) {
    if (error instanceof ActivityFailure) return NOT_NOW;
    throw error;
  }
}

/** What operators see in the list and on the page of the run. */
function show({ left, isAway }: WalletsStep): void {
  upsertSearchAttributes([{ key: searchAttributes.status, value: left === 0 ? 'active' : 'creating' }]);
  const why = isAway ? 'The custodian does not answer.' : 'The custodian refuses them: see the log.';
  setCurrentDetails(left === 0 ? 'All wallets are open.' : `Wallets that wait: ${String(left)}. ${why}`);
}
