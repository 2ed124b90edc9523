/** Movements as the wire shows them. */
import type { z } from 'zod';
import type { EntryRow } from '../../db/queries/ledger/entries.ts';
import { moneyIn } from '../../domain/money.ts';
import { viewOf } from '../wire/rows.ts';
import * as wire from './schemas.ts';

type Transaction = z.output<typeof wire.Transaction>;

const view = viewOf(wire.Transaction);

export function transactionView(entry: EntryRow): Transaction {
  const { amount } = entry;
  const money = moneyIn(entry.asset);
  return view({
    ...entry,
    id: entry.transactionId,
    sequence: String(entry.seq),
    direction: amount < 0n ? 'debit' : 'credit',
    amount: money(amount < 0n ? -amount : amount),
    balanceAfter: money(entry.balanceAfter),
    counterparty: counterpartyOf(entry),
    transferId: entry.sourceType === 'transfer' ? entry.sourceId : null,
    metadata: { ...entry.metadata },
  });
}

function counterpartyOf(entry: EntryRow): Transaction['counterparty'] {
  const { counterpartyName: name, counterpartyNumber: number, counterpartyIban: iban } = entry;
  return name === null && number === null ? null : { name, account_number: number, iban };
}
