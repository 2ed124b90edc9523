/** Movements as the wire shows them. */
import type { z } from 'zod';
import type { EntryRow } from '../../db/queries/ledger/entries.ts';
import { formatMoney, type MoneyWire } from '../../domain/money.ts';
import type * as wire from './schemas.ts';

export function transactionView(entry: EntryRow): z.input<typeof wire.Transaction> {
  const { amount } = entry;
  const money = (minor: bigint): MoneyWire => formatMoney({ minor, asset: entry.asset });
  return {
    id: entry.transactionId,
    account_id: entry.accountId,
    sequence: String(entry.seq),
    kind: entry.kind,
    part: entry.part,
    direction: amount < 0n ? 'debit' : 'credit',
    amount: money(amount < 0n ? -amount : amount),
    balance_after: money(entry.balanceAfter),
    description: entry.description,
    counterparty: counterpartyOf(entry),
    transfer_id: entry.sourceType === 'transfer' ? entry.sourceId : null,
    metadata: { ...entry.metadata },
    booked_at: entry.bookedAt.toISOString(),
    value_date: entry.valueDate,
  };
}

function counterpartyOf(entry: EntryRow): z.input<typeof wire.Transaction>['counterparty'] {
  const { counterpartyName: name, counterpartyNumber: number, counterpartyIban: iban } = entry;
  return name === null && number === null ? null : { name, account_number: number, iban };
}
