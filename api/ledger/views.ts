/** Movements as the wire shows them. */
import type { z } from 'zod';
import type { EntryRow } from '../../db/queries/ledger/entries.ts';
import { moneyIn } from '../../domain/money.ts';
import { viewOf } from '../wire/rows.ts';
import * as wire from './schemas.ts';

type Transaction = z.output<typeof wire.Transaction>;

const view = viewOf(wire.Transaction);

/** What every entry shows: which it is, how much it has moved in which direction, and the balance after it. */
export function entryFields({
  asset,
  transactionId,
  seq,
  amount,
  balanceAfter,
}: Pick<EntryRow, 'asset' | 'transactionId' | 'seq' | 'amount' | 'balanceAfter'>) {
  const money = moneyIn(asset);
  return {
    id: transactionId,
    sequence: String(seq),
    direction: amount < 0n ? 'debit' : 'credit',
    amount: money(amount < 0n ? -amount : amount),
    balanceAfter: money(balanceAfter),
  } as const;
}

export function transactionView(entry: EntryRow): Transaction {
  return view({
    ...entry,
    ...entryFields(entry),
    counterparty: counterpartyOf(entry),
    transferId: entry.sourceType === 'transfer' ? entry.sourceId : null,
    metadata: { ...entry.metadata },
  });
}

function counterpartyOf(entry: EntryRow): Transaction['counterparty'] {
  const { counterpartyName: name, counterpartyNumber: number, counterpartyIban: iban } = entry;
  return name === null && number === null ? null : { name, account_number: number, iban };
}
