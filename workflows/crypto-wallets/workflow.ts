/** A customer's wallets: the custodian is asked for those that are wanted until it has opened them all, and what they hold. */
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { CryptoVaultId, CryptoWalletId } from '../../domain/ids.ts';
import type { Refused } from '../../domain/process.ts';
import { IMPOSSIBLE, unlessPermanent } from '../permanent.ts';
import { onOutside, type Carried } from '../queues.ts';
import { searchAttributes } from '../search-attributes.ts';
import { takesAlways } from '../seals.ts';
import { open, refresh, type WalletsOrder, type WalletsStep } from './contract.ts';

/** The effects of its steps. */
export interface WalletActivities extends Carried<'outside'> {
  /** Has the custodian open the vault and the wallets that are wanted, as far as it does. Safe to repeat. */
  openWallets(vault: CryptoVaultId): Promise<WalletsStep>;
  /** Keeps what the custodian says that the wallet holds. Refuses unavailable. */
  refreshWallet(wallet: CryptoWalletId): Promise<{ readonly wallet: CryptoWalletId } | Refused>;
}

const { openWallets } = onOutside<WalletActivities>({
  // many calls, one after the other
  startToCloseTimeout: '5m',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '1m' },
});
const { refreshWallet } = onOutside<WalletActivities>({
  startToCloseTimeout: '30s',
  // somebody waits for the answer
  retry: { initialInterval: '500ms', maximumAttempts: 2 },
});

/** Whoever asks is shown what is there by then, though the custodian is still at it. */
const PATIENCE = '4s';
const FIRST_PAUSE_SECONDS = 2;
/** So that a custodian that is away for a month leaves a history that Temporal still takes. */
const LONGEST_PAUSE_SECONDS = 600;

/** A look that can never succeed is taken again when somebody may have mended its rows. */
const UNKNOWN: WalletsStep = { left: 1, retryInSeconds: LONGEST_PAUSE_SECONDS };

/** Ends once all wallets are there and nobody asks. Cancelling the run does nothing: the watch would begin it again. */
export function cryptoWallets(order: WalletsOrder): Promise<void> {
  return CancellationScope.nonCancellable(() => story(order));
}

async function story(order: WalletsOrder): Promise<void> {
  let asked = 1;
  let answered = 0;
  let left = 0;
  let isAway = false;

  setHandler(
    open,
    async () => {
      // a custodian that is away is not asked more often because more people ask
      if (!isAway) {
        asked += 1;
        const mine = asked;
        await condition(() => answered >= mine || isAway, PATIENCE);
      }
      return { left };
    },
    { description: 'A customer wants wallets: look at their rows', validator: takesAlways },
  );
  setHandler(refresh, async ({ wallet }) => unlessPermanent(refreshWallet(wallet), IMPOSSIBLE), {
    description: 'An administrator wants to know what the custodian holds',
    validator: takesAlways,
  });

  for (let failures = 0; ;) {
    const begun = asked;
    const step = await unlessPermanent(openWallets(order.id), UNKNOWN);
    left = step.left;
    answered = begun;
    show(step);
    if (left > 0) {
      isAway = true;
      const pause = Math.min(FIRST_PAUSE_SECONDS * 2 ** failures, LONGEST_PAUSE_SECONDS);
      failures += 1;
      await sleep((step.retryInSeconds ?? pause) * 1_000, { summary: 'until the custodian is asked again' });
      isAway = false;
      continue;
    }
    failures = 0;
    await condition(() => asked > begun || allHandlersFinished());
    if (asked === begun) return;
  }
}

/** What operators see in the list and on the page of the run. */
function show({ left }: WalletsStep): void {
  upsertSearchAttributes([{ key: searchAttributes.status, value: left === 0 ? 'active' : 'creating' }]);
  setCurrentDetails(
    left === 0 ? 'All wallets are open.' : `The custodian has not opened ${String(left)} of the wallets yet.`,
  );
}
