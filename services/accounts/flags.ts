/** Raising and clearing a flag, each in one transaction with its entry in the audit log; a repeat finds its own work. */
import { clearFlag, lastFlag, raiseFlag } from '../../db/ledger/account-status.ts';
import { accountById } from '../../db/queries/accounts/accounts.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { transaction } from '../../db/transaction.ts';
import type { AccountStatus } from '../../domain/accounts/accounts.ts';
import { AmlFlagId, type AccountId } from '../../domain/ids.ts';
import { found } from '../../domain/refusals.ts';
import type { AdminCall, Call } from '../callers.ts';
import type { Services } from '../services.ts';
import { bringReleased, releaseHeld, tellWaiting, type Released } from './waiting.ts';

type Clearing = AdminCall<'account_not_flagged' | 'same_person'>;

/** Raises a flag, or freezes under the open one. */
export async function flagAccount(
  { db, actor, refusal }: Call<'account_closed' | 'account_flagged'>,
  account: AccountId,
  wanted: { readonly reason: string; readonly freeze: boolean },
  services: Pick<Services, 'processes'>,
): Promise<void> {
  const { reason, freeze } = wanted;
  await transaction(db, async (tx) => {
    const last = await lastFlag.first(tx, { accountId: account });
    const isOwnWork = last?.clearedAt === null && last.raisedBy === actor.id && last.reason === reason;
    if (isOwnWork && (last.frozen || !freeze)) return;
    const flag = await raiseFlag.one(tx, { account, raiser: actor.id, reason, freeze });
    if (flag.refusal !== null) throw refusal(flag.refusal);
    await record(tx, actor, {
      action: 'account.flagged',
      subject: ['account', account],
      before: { status: flag.before },
      after: { status: freeze ? 'frozen' : flag.before, flag_id: flag.id },
      reason,
    });
  });
  if (freeze) await tellWaiting(db, account, 'frozen', services);
}

/** Clears the open flag and lets go what it held. */
export async function unflagAccount(
  call: Clearing,
  account: AccountId,
  reason: string,
  services: Pick<Services, 'processes'>,
): Promise<void> {
  const { released, after } = await clearedFlag(call, account, reason);
  // what becomes of each, limits and funds included, is the transfer's own story
  await bringReleased(call.db, released, services);
  await tellWaiting(call.db, account, after, services);
}

function clearedFlag(
  { db, actor, refusal }: Clearing,
  account: AccountId,
  reason: string,
): Promise<{ readonly released: readonly Released[]; readonly after: AccountStatus }> {
  return transaction(db, async (tx) => {
    const last = await lastFlag.first(tx, { accountId: account });
    const { status } = found(await accountById.first(tx, { id: account }));
    if (last?.clearedBy === actor.id && last.clearReason === reason) return { released: [], after: status };
    const flag = await clearFlag.one(tx, { account, by: actor.id, reason });
    if (flag.refusal !== null) throw refusal(flag.refusal);
    await record(tx, actor, {
      action: 'account.flag_cleared',
      subject: ['account', account],
      before: { status: flag.before, flag_id: flag.id },
      after: { status: flag.after },
      reason,
    });
    return { released: await releaseHeld(tx, AmlFlagId.parse(found(flag.id))), after: found(flag.after) };
  });
}
