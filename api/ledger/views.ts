/** Movements as the wire shows them. */
import type { z } from 'zod';
import type { EntryRow } from '../../db/queries/ledger/entries.ts';
import { formatMoney, type MoneyWire } from '../../domain/money.ts';
import type * as wire from './schemas.ts';

export function transactionView(entry: EntryRow): z.input<typeof wire.Transaction> {
  const amount = BigInt(entry.amount);
  const money = (minor: bigint): MoneyWire => formatMoney({ minor, asset: entry.asset });
  return {
    id: entry.transaction_id,
    account_id: entry.account_id,
    sequence: entry.seq,
    kind: entry.kind,
    part: entry.part,
    direction: amount < 0n ? 'debit' : 'credit',
    amount: money(amount < 0n ? -amount : amount),
    balance_after: money(BigInt(entry.balance_after)),
    description: entry.description,
    counterparty: counterpartyOf(entry),
    transfer_id: entry.source_type === 'transfer' ? entry.source_id : null,
    metadata: { ...entry.metadata },
    booked_at: entry.booked_at.toISOString(),
    value_date: entry.value_date,
  };
}

function counterpartyOf(entry: EntryRow): z.input<typeof wire.Transaction>['counterparty'] {
  const { counterparty_name: name, counterparty_number: number, counterparty_iban: iban } = entry;
  return name === null && number === null ? null : { name, account_number: number, iban };
}
