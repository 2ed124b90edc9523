/** Accounts as the wire shows them. */
import type { z } from 'zod';
import type { AccountRow } from '../../db/queries/accounts/accounts.ts';
import { lowerLimits } from '../../domain/accounts.ts';
import { formatMoney, type MoneyWire } from '../../domain/money.ts';
import type * as wire from './schemas.ts';

export function accountView(account: AccountRow): z.input<typeof wire.UserAccount> {
  const money = (minor: bigint): MoneyWire => formatMoney({ minor, asset: account.asset });
  const posted = BigInt(account.posted);
  const held = BigInt(account.held);
  return {
    id: account.id,
    number: account.number,
    iban: account.iban,
    nickname: account.nickname,
    status: account.status,
    type: { id: account.type_id, code: account.type_code, name: account.type_name },
    currency: account.asset,
    balance: money(posted),
    held: money(held),
    available: money(posted - held + BigInt(account.overdraft_limit)),
    opened_at: account.opened_at.toISOString(),
  };
}

export function accountDetailView(account: AccountRow): z.input<typeof wire.UserAccountDetail> {
  return {
    ...accountView(account),
    ...limitsView(account),
    closed_at: account.closed_at?.toISOString() ?? null,
  };
}

export function limitsView(
  account: AccountRow,
): Pick<z.input<typeof wire.UserAccountDetail>, 'overdraft_limit' | 'min_balance' | 'max_balance'> {
  const { asset } = account;
  const { overdraft, minimum } = lowerLimits({ minor: BigInt(account.overdraft_limit), asset });
  return {
    overdraft_limit: formatMoney(overdraft),
    min_balance: formatMoney(minimum),
    max_balance:
      account.max_balance === null ? null : formatMoney({ minor: BigInt(account.max_balance), asset }),
  };
}
