/** Changing an account's status: what waits on the account is settled before, and told after. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { record } from '../../db/queries/platform/audit.ts';
import { setAccountStatus } from '../../db/ledger/account-status.ts';
import { waitingTransfers } from '../../db/queries/accounts/accounts-admin.ts';
import { cancelScheduledTransfersOf } from '../../db/queries/transfers/scheduled-transfers.ts';
import { orderOfRow, transferById } from '../../db/queries/transfers/transfers.ts';
import type { AccountRow } from '../../db/queries/accounts/accounts.ts';
import type { AccountStatus, SettableStatus } from '../../domain/accounts/accounts.ts';
import type { AccountId } from '../../domain/ids.ts';
import { isRefusal, Refusal } from '../../domain/refusals.ts';
import { accountChanged, amlCleared, opened } from '../../workflows/transfer/contract.ts';
import { movementProcesses } from '../../workflows/transfer/process.ts';
import type { Call, User } from '../callers.ts';
import type { Services } from '../services.ts';
import { decideOn } from '../transfers/decisions.ts';
import { transaction } from '../../db/transaction.ts';

/** A status to be set, by an administrator or by the account's owner. */
interface StatusChange {
  readonly status: SettableStatus;
  readonly reason: string | null;
  readonly role: 'admin' | 'customer';
}

interface Deciding extends Call {
  /** The id of what is decided, the same for every repeat. */
  readonly newId: string;
}
type Needs = Pick<Services, 'processes'>;

const VERBS: Readonly<Record<SettableStatus, string>> = {
  open: 'unblocked',
  blocked: 'blocked',
  closed: 'closed',
};

/**
 * Sets the status, in a transaction of its own with its line in the audit log. Closing first cancels what waits to leave the account,
 * where it could be closed then; a transfer that begins meanwhile wins, and the account stays as it is. What its owner
 * has planned from or into the account ends with it.
 * Refuses: account_closed, account_frozen, account_flagged, account_not_empty.
 */
export async function changeStatus(
  account: Pick<AccountRow, 'id' | 'posted' | 'status'>,
  change: StatusChange,
  call: Deciding,
  services: Needs,
): Promise<void> {
  const { caller, db, requestId, client } = call;
  if (change.status === 'closed' && account.status !== 'closed' && account.status !== 'frozen')
    await cancelWaiting(account, change, call, services);
  const changed = await transaction(db, async (tx) => {
    const before = await setAccountStatus(tx, account.id, change.status);
    if (before === change.status) return false;
    const by = {
      actorId: caller.id,
      actorRole: change.role,
      ...(change.reason === null ? {} : { reason: change.reason }),
      requestId,
      address: client.address,
    };
    await record(tx, {
      ...by,
      action: `account.${VERBS[change.status]}`,
      subjectType: 'account',
      subjectId: account.id,
      before: { status: before },
      after: { status: change.status },
    });
    if (change.status === 'closed')
      await cancelScheduledTransfersOf.run(tx, { account: account.id, ...by, reason: change.reason });
    return true;
  });
  if (changed) await tellWaiting(db, account.id, change.status, services);
}

/** Shows the new status to who looks at a process that waits on the account. */
export async function tellWaiting(
  db: EntityManager,
  account: AccountId,
  status: AccountStatus,
  { processes }: Needs,
): Promise<void> {
  for (const { id } of await waitingTransfers.all(db, { account, status: null })) {
    const transfer = await transferById.first(db, { id });
    if (transfer !== undefined)
      await processes.tell(movementProcesses[transfer.kind], id, accountChanged, { status });
  }
}

/** Lets go what a flag held, also where its process is gone. One that is not reached is found by the watch over transfers. */
export async function releaseHeld(
  db: EntityManager,
  account: AccountId,
  cleared: { readonly by: User['id']; readonly reason: string; readonly id: string },
  { processes }: Needs,
): Promise<void> {
  for (const { id } of await waitingTransfers.all(db, { account, status: 'aml_review' })) {
    const transfer = await transferById.first(db, { id });
    if (transfer === undefined) continue;
    const process = movementProcesses[transfer.kind];
    const ask = () => processes.decide(process, id, amlCleared, cleared, cleared.id);
    // what became of it, limits and funds included, is the transfer's own story
    await refusalAside(async () => {
      if ((await ask()) !== 'ended') return;
      const left = await transferById.first(db, { id });
      if (left?.status !== 'aml_review') return;
      await processes.beginAgain(process, orderOfRow(left), opened);
      await ask();
    });
  }
}

/** An account with money in it cannot be closed, so nothing is cancelled for it. */
async function cancelWaiting(
  account: Pick<AccountRow, 'id' | 'posted'>,
  { reason, role }: StatusChange,
  { caller, db, newId, requestId }: Deciding,
  services: Needs,
): Promise<void> {
  if (account.posted !== 0n) throw new Refusal('account_not_empty');
  const decision = { kind: 'cancel', by: caller.id, role, reason, requestId } as const;
  for (const { id } of await waitingTransfers.all(db, { account: account.id, status: null })) {
    const transfer = await transferById.first(db, { id });
    // what the bank wants of an account, its owner does not cancel; the hold then keeps the account open
    if (transfer === undefined || (role === 'customer' && transfer.kind !== 'transfer')) continue;
    await refusalAside(() => decideOn(transfer, decision, newId, db, services));
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
