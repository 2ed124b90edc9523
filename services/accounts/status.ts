/** Changing an account's status: what waits on the account is settled before, and told after. */
import { setAccountStatus } from '../../db/ledger/account-status.ts';
import { adminAccountById } from '../../db/queries/accounts/accounts-admin.ts';
import { accountOf, type AccountRow } from '../../db/queries/accounts/accounts.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { cancelScheduledTransfersOf } from '../../db/queries/transfers/scheduled-transfers.ts';
import { transaction } from '../../db/transaction.ts';
import type { SettableStatus } from '../../domain/accounts/accounts.ts';
import type { AccountId } from '../../domain/ids.ts';
import { found, type RefusalCode } from '../../domain/refusals.ts';
import type { OwnCall } from '../callers.ts';
import type { Services } from '../services.ts';
import { cancelWaiting, tellWaiting } from './waiting.ts';

interface Changing<Code extends RefusalCode> extends OwnCall<Code> {
  /** The id of what is decided, the same for every repeat. */
  readonly newId: string;
}
type StatusRefusal = 'account_closed' | 'account_frozen' | 'account_flagged' | 'account_not_empty';
type Needs = Pick<Services, 'processes'>;

/** A status to be set, by an administrator or by the account's owner. */
interface StatusChange {
  readonly status: SettableStatus;
  readonly reason: string | null;
  readonly role: 'admin' | 'customer';
}

const VERBS: Readonly<Record<SettableStatus, string>> = {
  open: 'unblocked',
  blocked: 'blocked',
  closed: 'closed',
};

/** Blocks, unblocks or closes another person's account. */
export async function changeStatus(
  call: Changing<StatusRefusal | 'same_person'>,
  id: AccountId,
  change: { readonly status: SettableStatus; readonly reason: string },
  services: Needs,
): Promise<void> {
  const account = found(await adminAccountById.first(call.db, { id }));
  if (account.ownerId === call.actor.id) throw call.refusal('same_person');
  await setStatus(call, account, { ...change, role: 'admin' }, services);
}

/** Closes the caller's account. Why the bank has blocked or flagged it is not told: the customer may be the one it is about. */
export async function closeOwnAccount(
  call: Changing<'account_blocked' | 'account_not_empty'>,
  id: AccountId,
  services: Needs,
): Promise<void> {
  const account = found(await accountOf.first(call.db, { id, owner: call.actor.id }));
  if (account.status === 'blocked') throw call.refusal('account_blocked');
  const hushed: Changing<StatusRefusal> = {
    ...call,
    refusal: (code, options) => call.refusal(isWatched(code) ? 'account_blocked' : code, options),
  };
  await setStatus(hushed, account, { status: 'closed', reason: null, role: 'customer' }, services);
}

/** Closing what is closed already is not refused, so that `account_closed` does not come up here. */
function isWatched(code: RefusalCode): code is 'account_closed' | 'account_frozen' | 'account_flagged' {
  return ['account_closed', 'account_frozen', 'account_flagged'].includes(code);
}

/**
 * Sets the status, in a transaction of its own with its entry in the audit log. Closing first cancels what waits to leave the account,
 * if it could be closed then; a transfer that begins meanwhile wins, and the account stays as it is. What its owner
 * has planned from or into the account ends with it.
 */
async function setStatus(
  call: Changing<StatusRefusal>,
  account: Pick<AccountRow, 'id' | 'posted' | 'status'>,
  { status, reason, role }: StatusChange,
  services: Needs,
): Promise<void> {
  const { db, actor, refusal } = call;
  const { id } = account;
  if (status === 'closed' && account.status !== 'closed' && account.status !== 'frozen') {
    // an account with money in it cannot be closed, so nothing is cancelled for it
    if (account.posted !== 0n) throw refusal('account_not_empty');
    await cancelWaiting(call, id, { role, reason }, services);
  }
  const isChanged = await transaction(db, async (tx) => {
    const verdict = await setAccountStatus.one(tx, { account: id, wanted: status });
    if (verdict.refusal !== null) throw refusal(verdict.refusal);
    if (verdict.before === status) return false;
    await record(tx, actor, {
      action: `account.${VERBS[status]}`,
      subject: ['account', id],
      before: { status: verdict.before },
      after: { status },
      reason,
    });
    const { id: actorId, role: actorRole, requestId, address } = actor;
    if (status === 'closed')
      await cancelScheduledTransfersOf.run(tx, {
        account: id,
        actorId,
        actorRole,
        requestId,
        address,
        reason,
      });
    return true;
  });
  if (isChanged) await tellWaiting(db, id, status, services);
}
