/** The transfers that wait to leave an account: what becomes of them when its status or its flag changes. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { waitingTransfers } from '../../db/queries/accounts/accounts-admin.ts';
import { heldByFlag } from '../../db/queries/aml/reviews.ts';
import type { TransferRow } from '../../db/queries/transfers/transfers.ts';
import type { AccountStatus } from '../../domain/accounts/accounts.ts';
import type { Person } from '../../domain/actor.ts';
import { newUuid } from '../../adapters/new-id.ts';
import { tellLater, type PendingUpdate } from '../../db/queries/platform/outbox.ts';
import { DecisionId, type AccountId, type AmlFlagId } from '../../domain/ids.ts';
import { isRefusal, refuse } from '../../domain/refusals.ts';
import { accountChanged, amlCleared } from '../../workflows/transfer/contract.ts';
import { movementProcesses } from '../../workflows/transfer/process.ts';
import { asManyWithin } from '../platform/at-once.ts';
import { updateOf } from '../platform/processes.ts';
import type { Services } from '../services.ts';
import { decideOn, tellMovement } from '../transfers/decisions.ts';

type Needs = Pick<Services, 'processes'>;

/** How long a request waits until the processes have heard: an account may have hundreds of them. */
const PATIENCE_MILLISECONDS = 3_000;

/** Shows the new status to whoever looks at a process that waits on the account; those that cannot be told in time go without. */
export async function tellWaiting(
  db: EntityManager,
  account: AccountId,
  status: AccountStatus,
  { processes }: Needs,
): Promise<void> {
  const waiting = await waitingTransfers.all(db, { account });
  await asManyWithin(PATIENCE_MILLISECONDS, waiting, ({ kind, id }) =>
    processes.tell(movementProcesses[kind], id, accountChanged, { status }),
  );
}

/** A transfer that a flag held, and what its process has to hear. */
export interface Released {
  readonly transfer: Pick<TransferRow, 'id' | 'kind'>;
  readonly update: PendingUpdate;
}

/** Says to the processes of what a flag held that it is resolved: in the transaction that resolves it, so that the word is not lost. */
export async function releaseHeld(tx: EntityManager, flag: AmlFlagId): Promise<readonly Released[]> {
  const released: Released[] = [];
  for (const transfer of await heldByFlag.all(tx, { flag })) {
    const process = movementProcesses[transfer.kind];
    const update = updateOf(process, transfer.id, amlCleared, { flag }, `flag/${flag}`);
    await tellLater(tx, update);
    released.push({ transfer, update });
  }
  return released;
}

/** Brings the word to those processes that can be reached in time. The outbox brings it to the others. */
export function bringReleased(
  db: EntityManager,
  released: readonly Released[],
  services: Needs,
): Promise<void> {
  return asManyWithin(PATIENCE_MILLISECONDS, released, ({ transfer, update }) =>
    tellMovement(transfer, update, db, services),
  );
}

/** Cancels what would leave the account. What the bank wants of an account, its owner does not cancel: the hold then keeps it open. */
export async function cancelWaiting(
  { db, actor }: { readonly db: EntityManager; readonly actor: Person },
  account: AccountId,
  { role, reason }: { readonly role: 'admin' | 'customer'; readonly reason: string | null },
  services: Needs,
): Promise<void> {
  for (const transfer of await waitingTransfers.all(db, { account })) {
    if (role === 'customer' && transfer.kind !== 'transfer') continue;
    const id = DecisionId.parse(newUuid());
    const wish = { id, kind: 'cancel', by: actor, reason } as const;
    const decided = await refusalAside(() => decideOn(transfer.id, wish, db, services));
    if (decided?.decisionState === 'accepted') throw refuse('unavailable', { retryAfter: 2 });
  }
}

/** Whoever was quicker has decided; the account's function judges what is left. */
async function refusalAside<Answer>(act: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await act();
  } catch (error) {
    if (!isRefusal(error) || error.code === 'unavailable') throw error;
    return undefined;
  }
}
