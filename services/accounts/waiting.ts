/** The transfers that wait to leave an account: what becomes of them when its status or its flag changes. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { waitingTransfers } from '../../db/queries/accounts/accounts-admin.ts';
import { transferById, type TransferRow } from '../../db/queries/transfers/transfers.ts';
import type { AccountStatus } from '../../domain/accounts/accounts.ts';
import type { Person } from '../../domain/actor.ts';
import { newUuid } from '../../adapters/new-id.ts';
import { tellLater, type PendingUpdate } from '../../db/queries/platform/outbox.ts';
import { DecisionId, type AccountId } from '../../domain/ids.ts';
import { isRefusal, refuse } from '../../domain/refusals.ts';
import { accountChanged, amlCleared } from '../../workflows/transfer/contract.ts';
import { movementProcesses } from '../../workflows/transfer/process.ts';
import { updateOf } from '../platform/processes.ts';
import type { Services } from '../services.ts';
import { decideOn } from '../transfers/decisions.ts';

type Needs = Pick<Services, 'processes'>;

/** Shows the new status to whoever looks at a process that waits on the account. */
export async function tellWaiting(
  db: EntityManager,
  account: AccountId,
  status: AccountStatus,
  { processes }: Needs,
): Promise<void> {
  for await (const { kind, id } of waitingOn(db, account))
    await processes.tell(movementProcesses[kind], id, accountChanged, { status });
}

/** A transfer that a flag held, and what its process has to hear. */
export interface Released {
  readonly transfer: Pick<TransferRow, 'id' | 'kind'>;
  readonly update: PendingUpdate;
}

/** Says to the processes of what a flag held that it is cleared: in the transaction that clears it, so that the word is not lost. */
export async function releaseHeld(
  tx: EntityManager,
  account: AccountId,
  flag: string,
): Promise<readonly Released[]> {
  const released: Released[] = [];
  for await (const { kind, id } of waitingOn(tx, account, 'aml_review')) {
    const update = updateOf(movementProcesses[kind], id, amlCleared, { flag }, `flag/${flag}`);
    await tellLater(tx, update);
    released.push({ transfer: { id, kind }, update });
  }
  return released;
}

/** Cancels what would leave the account. What the bank wants of an account, its owner does not cancel: the hold then keeps it open. */
export async function cancelWaiting(
  { db, actor }: { readonly db: EntityManager; readonly actor: Person },
  account: AccountId,
  { role, reason }: { readonly role: 'admin' | 'customer'; readonly reason: string | null },
  services: Needs,
): Promise<void> {
  for await (const transfer of waitingOn(db, account)) {
    if (role === 'customer' && transfer.kind !== 'transfer') continue;
    const id = DecisionId.parse(newUuid());
    const wish = { id, kind: 'cancel', by: actor, reason } as const;
    const decided = await refusalAside(() => decideOn(transfer, wish, db, services));
    if (decided?.decisionState === 'accepted') throw refuse('unavailable', { retryAfter: 2 });
  }
}

async function* waitingOn(
  db: EntityManager,
  account: AccountId,
  status: 'aml_review' | null = null,
): AsyncGenerator<TransferRow, void, undefined> {
  for (const { id } of await waitingTransfers.all(db, { account, status })) {
    const transfer = await transferById.first(db, { id });
    if (transfer !== undefined) yield transfer;
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
