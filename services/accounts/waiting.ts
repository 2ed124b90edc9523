/** The transfers that wait to leave an account: what becomes of them when its status or its flag changes. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { waitingTransfers } from '../../db/queries/accounts/accounts-admin.ts';
import { transferById, type TransferRow } from '../../db/queries/transfers/transfers.ts';
import type { AccountStatus } from '../../domain/accounts/accounts.ts';
import type { Person } from '../../domain/actor.ts';
import type { AccountId, UserId } from '../../domain/ids.ts';
import { isRefusal, refuse } from '../../domain/refusals.ts';
import { accountChanged, amlCleared } from '../../workflows/transfer/contract.ts';
import { movementProcesses } from '../../workflows/transfer/process.ts';
import { decideOrRecover } from '../platform/recovery.ts';
import type { Services } from '../services.ts';
import { decideOn } from '../transfers/decisions.ts';
import { movementRecovery } from '../transfers/recovery.ts';

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

/** Lets go what a flag held, also if its process is gone. The watch over transfers finds one that is not reached. */
export async function releaseHeld(
  db: EntityManager,
  account: AccountId,
  cleared: { readonly by: UserId; readonly reason: string; readonly id: string },
  { processes }: Needs,
): Promise<void> {
  for await (const { kind, id } of waitingOn(db, account, 'aml_review')) {
    // what became of it, limits and funds included, is the transfer's own story
    await refusalAside(() =>
      decideOrRecover(movementRecovery(kind), { db, processes }, id, amlCleared, cleared, cleared.id),
    );
  }
}

/** Cancels what would leave the account. What the bank wants of an account, its owner does not cancel: the hold then keeps it open. */
export async function cancelWaiting(
  call: { readonly db: EntityManager; readonly actor: Person; readonly newId: string },
  account: AccountId,
  { role, reason }: { readonly role: 'admin' | 'customer'; readonly reason: string | null },
  services: Needs,
): Promise<void> {
  const { db, actor, newId } = call;
  const decision = { kind: 'cancel', by: actor.id, role, reason, requestId: actor.requestId } as const;
  for await (const transfer of waitingOn(db, account))
    if (role === 'admin' || transfer.kind === 'transfer')
      await refusalAside(() => decideOn(transfer, decision, newId, { db, refusal: refuse }, services));
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

/** Whoever was quicker has decided; the account's function judges what is left. A part that does not answer stops the change. */
async function refusalAside(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!isRefusal(error) || error.code === 'unavailable') throw error;
  }
}
