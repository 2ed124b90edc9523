/** Raising and clearing a flag, each in one transaction with its line in the audit log; a repeat finds its own work. */
import { record } from '../../db/queries/platform/audit.ts';
import { clearFlag, lastFlag, raiseFlag } from '../../db/ledger/account-status.ts';
import { accountById } from '../../db/queries/accounts/accounts.ts';
import type { AccountStatus } from '../../domain/accounts/accounts.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { Admin, Call } from '../callers.ts';
import { transaction } from '../../db/transaction.ts';

/** Raises a flag, or freezes under the open one. Refuses account_closed, account_flagged. */
export function flagAccount(
  id: AccountId,
  wanted: { readonly reason: string; readonly freeze: boolean },
  { caller, db, requestId, client }: Call<Admin>,
): Promise<void> {
  return transaction(db, async (tx) => {
    const last = await lastFlag.first(tx, { accountId: id });
    if (last?.clearedAt === null && last.raisedBy === caller.id && last.reason === wanted.reason)
      if (last.frozen || !wanted.freeze) return;
    const flag = await raiseFlag(tx, id, { raiser: caller.id, ...wanted });
    await record(tx, {
      actorId: caller.id,
      actorRole: 'admin',
      action: 'account.flagged',
      subjectType: 'account',
      subjectId: id,
      before: { status: flag.before },
      after: { status: wanted.freeze ? 'frozen' : flag.before, flag_id: flag.id },
      reason: wanted.reason,
      requestId,
      address: client.address,
    });
  });
}

/** Clears the open flag; answers it and the account's status after it. Refuses account_not_flagged, same_person. */
export function unflagAccount(
  id: AccountId,
  reason: string,
  { caller, db, requestId, client }: Call<Admin>,
): Promise<{ readonly id: string; readonly after: AccountStatus }> {
  return transaction(db, async (tx) => {
    const last = await lastFlag.first(tx, { accountId: id });
    const account = await accountById.first(tx, { id });
    // what was held may not have been let go before the answer was lost
    if (last?.clearedBy === caller.id && last.clearReason === reason && account !== undefined)
      return { id: last.id, after: account.status };
    const flag = await clearFlag(tx, id, { by: caller.id, reason });
    await record(tx, {
      actorId: caller.id,
      actorRole: 'admin',
      action: 'account.flag_cleared',
      subjectType: 'account',
      subjectId: id,
      before: { status: flag.before, flag_id: flag.id },
      after: { status: flag.after },
      reason,
      requestId,
      address: client.address,
    });
    return flag;
  });
}
