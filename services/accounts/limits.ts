/** The limits of account types and of single accounts: read from a request, and told to the audit log. */
import { setAccountLimits } from '../../db/ledger/accounts.ts';
import { adminAccountById, lockAccount } from '../../db/queries/accounts/accounts-admin.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { faultOfLimits, limitsOfAccount, type AccountLimits } from '../../domain/accounts/accounts.ts';
import { loosensLimits } from '../../domain/accounts/loosening.ts';
import type { AccountId } from '../../domain/ids.ts';
import { formatMoney, type Money } from '../../domain/money.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import { signedMinorIn } from '../amounts.ts';
import type { Call } from '../callers.ts';
import { fourEyes, type Place } from '../platform/four-eyes.ts';

/** The limits that somebody wants; one that is left out stays. */
export interface WantedLimits {
  readonly minBalance?: Money;
  readonly maxBalance?: Money | null;
  readonly overdraftLimit?: Money;
}

/** More room on an account waits for a second administrator, who is not its owner. */
export const limitsFourEyes = fourEyes({
  resource: ({ params }: Place<{ readonly id: AccountId }>) => ['account', params.id],
  state: async (db, { params }) => (await adminAccountById.first(db, params)) ?? null,
  loosens: (before, after) =>
    before !== null && after !== null && loosensLimits(limitsOfAccount(before), limitsOfAccount(after)),
  shown: (account) => limitsTold(limitsOfAccount(account), account.asset),
  concerns: ({ ownerId }) => ownerId,
});

/** Gives another person's account limits of its own. */
export async function limitAccount(
  { db, actor, refusal }: Call<'account_closed' | 'overdraft_in_use' | 'same_person'>,
  id: AccountId,
  wanted: WantedLimits,
  reason: string,
): Promise<void> {
  // two changes of different limits follow one another
  await lockAccount.run(db, { id });
  const account = found(await adminAccountById.first(db, { id }));
  if (account.ownerId === actor.id) throw refusal('same_person');
  const before = limitsOfAccount(account);
  const after = limitsWith(before, wanted, account.asset);
  const { overdraftLimit, minBalance, maxBalance: max } = after;
  const verdict = await setAccountLimits.one(db, { account: id, limit: overdraftLimit - minBalance, max });
  if (verdict.refusal !== null) throw refusal(verdict.refusal);
  await record(db, actor, {
    action: 'account.limited',
    subject: ['account', id],
    before: limitsTold(before, account.asset),
    after: limitsTold(after, account.asset),
    reason,
  });
}

/** The wanted limits over those before, in minor units of the asset. Refuses invalid_request with a pointer to the fault. */
export function limitsWith(before: AccountLimits, wanted: WantedLimits, asset: string): AccountLimits {
  const read = (field: string, money: Money): bigint => signedMinorIn(asset, `/${field}`, money);
  const { minBalance: min, maxBalance: max, overdraftLimit: overdraft } = wanted;
  const limits: AccountLimits = {
    minBalance: min === undefined ? before.minBalance : read('min_balance', min),
    maxBalance: max === undefined ? before.maxBalance : max && read('max_balance', max),
    overdraftLimit: overdraft === undefined ? before.overdraftLimit : read('overdraft_limit', overdraft),
  };
  const fault = faultOfLimits(limits);
  if (fault !== undefined) throw faultIn(`/${fault.field}`, 'limits_conflict', fault.detail);
  return limits;
}

/** Limits as the audit log keeps them. */
export function limitsTold({ minBalance, maxBalance, overdraftLimit }: AccountLimits, asset: string) {
  return {
    min_balance: formatMoney({ minor: minBalance, asset }),
    max_balance: maxBalance === null ? null : formatMoney({ minor: maxBalance, asset }),
    overdraft_limit: formatMoney({ minor: overdraftLimit, asset }),
  };
}
