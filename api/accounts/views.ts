/** Accounts and their movements as the wire shows them. */
import type { z } from 'zod';
import type { AccountRow } from '../../db/queries/accounts.ts';
import type { EntryRow } from '../../db/queries/entries.ts';
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
  return { ...accountView(account), ...detailOf(account) };
}

/** What the detail of an account adds to its line in a list. */
export function detailOf(
  account: AccountRow,
): Omit<z.input<typeof wire.UserAccountDetail>, keyof z.input<typeof wire.UserAccount>> {
  const { asset } = account;
  const { overdraft, minimum } = lowerLimits({ minor: BigInt(account.overdraft_limit), asset });
  return {
    overdraft_limit: formatMoney(overdraft),
    min_balance: formatMoney(minimum),
    max_balance:
      account.max_balance === null ? null : formatMoney({ minor: BigInt(account.max_balance), asset }),
    closed_at: account.closed_at?.toISOString() ?? null,
  };
}

export function transactionView(entry: EntryRow): z.input<typeof wire.Transaction> {
  const amount = BigInt(entry.amount);
  const money = (minor: bigint): MoneyWire => formatMoney({ minor, asset: entry.asset });
  return {
    id: entry.transaction_id,
    sequence: entry.seq,
    kind: entry.kind,
    direction: amount < 0n ? 'debit' : 'credit',
    amount: money(amount < 0n ? -amount : amount),
    balance_after: money(BigInt(entry.balance_after)),
    description: entry.description,
    counterparty: entry.counterparty_number === null ? null : { account_number: entry.counterparty_number },
    transfer_id: entry.source_type === 'transfer' ? entry.source_id : null,
    booked_at: entry.booked_at.toISOString(),
    value_date: entry.value_date,
  };
}
