/** Accounts as the wire shows them. */
import type { z } from 'zod';
import type { AccountRow } from '../../db/queries/accounts/accounts.ts';
import { limitsOfAccount, shownStatus, type AccountLimits } from '../../domain/accounts/accounts.ts';
import { moneyIn } from '../../domain/money.ts';
import { viewOf } from '../wire/rows.ts';
import * as wire from './schemas.ts';

const view = viewOf(wire.UserAccount);

export function accountView(account: AccountRow): z.output<typeof wire.UserAccount> {
  const { asset: currency, posted, held, overdraftLimit } = account;
  const money = moneyIn(currency);
  return view({
    ...account,
    status: shownStatus(account.status),
    type: { id: account.typeId, code: account.typeCode, name: account.typeName },
    currency,
    balance: money(posted),
    held: money(held),
    available: money(posted - held + overdraftLimit),
    unarrangedOverdraft: money(account.unarranged),
  });
}

export function accountDetailView(account: AccountRow): z.output<typeof wire.UserAccountDetail> {
  const limits = limitsView(limitsOfAccount(account), account.asset);
  return { ...accountView(account), ...limits, closed_at: account.closedAt };
}

/** Limits of an account or a type. */
export function limitsView(
  { minBalance, maxBalance, overdraftLimit }: AccountLimits,
  asset: string,
): Pick<z.output<typeof wire.UserAccountDetail>, 'min_balance' | 'max_balance' | 'overdraft_limit'> {
  const money = moneyIn(asset);
  return {
    min_balance: money(minBalance),
    max_balance: maxBalance === null ? null : money(maxBalance),
    overdraft_limit: money(overdraftLimit),
  };
}
