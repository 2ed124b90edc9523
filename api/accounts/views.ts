/** Accounts as the wire shows them. */
import type { z } from 'zod';
import type { AccountRow } from '../../db/queries/accounts/accounts.ts';
import { lowerLimits } from '../../domain/accounts/accounts.ts';
import { formatMoney, type MoneyWire } from '../../domain/money.ts';
import type * as wire from './schemas.ts';

export function accountView(account: AccountRow): z.input<typeof wire.UserAccount> {
  const money = (minor: bigint): MoneyWire => formatMoney({ minor, asset: account.asset });
  const { posted, held, overdraftLimit } = account;
  return {
    id: account.id,
    number: account.number,
    iban: account.iban,
    nickname: account.nickname,
    status: account.status,
    type: { id: account.typeId, code: account.typeCode, name: account.typeName },
    currency: account.asset,
    balance: money(posted),
    held: money(held),
    available: money(posted - held + overdraftLimit),
    opened_at: account.openedAt.toISOString(),
  };
}

export function accountDetailView(account: AccountRow): z.input<typeof wire.UserAccountDetail> {
  return {
    ...accountView(account),
    ...limitsView(account),
    closed_at: account.closedAt?.toISOString() ?? null,
  };
}

export function limitsView(
  account: AccountRow,
): Pick<z.input<typeof wire.UserAccountDetail>, 'overdraft_limit' | 'min_balance' | 'max_balance'> {
  const { asset, overdraftLimit, maxBalance } = account;
  const { overdraft, minimum } = lowerLimits({ minor: overdraftLimit, asset });
  return {
    overdraft_limit: formatMoney(overdraft),
    min_balance: formatMoney(minimum),
    max_balance: maxBalance === null ? null : formatMoney({ minor: maxBalance, asset }),
  };
}
