/** The statement as one JSON object: TransactionStatementList. */
import type { z } from 'zod';
import type { StatementRow } from '../../db/queries/statements/lines.ts';
import type { PendingRow } from '../../db/queries/statements/pending.ts';
import type { StatementTotals } from '../../db/queries/statements/statements.ts';
import { formatAmount } from '../../domain/money.ts';
import type * as wire from './schemas.ts';
import type { Statement } from '../../services/statements/statement.ts';

type Line = z.input<typeof wire.StatementLine>;
type List = z.input<typeof wire.TransactionStatementList>;

export async function* asJson(statement: Statement): AsyncGenerator<string, void, undefined> {
  const { head, period, bank } = statement;
  const money = moneyOf(statement);
  const front: Omit<List, keyof ReturnType<typeof endOf> | 'items'> = {
    account: {
      id: head.accountId,
      number: head.number,
      iban: head.iban,
      type: head.typeName,
      owner: head.ownerName,
      currency: head.asset,
    },
    ...period,
    time_zone: bank.timeZone,
    opening_balance: money(head.opening),
    closing_balance: money(head.closing),
  };
  yield `${JSON.stringify(front).slice(0, -1)},"items":[`;
  let comma = '';
  for await (const rows of statement.lines()) {
    if (rows.length === 0) continue;
    // one call for all lines costs a fifth less than one for each
    yield comma + JSON.stringify(rows.map((row) => lineOf(row, money))).slice(1, -1);
    comma = ',';
  }
  const [totals, pending] = [await statement.totals(), await statement.pending()];
  yield `],${JSON.stringify(endOf(totals, pending, money)).slice(1)}`;
}

function endOf(
  totals: StatementTotals,
  pending: readonly PendingRow[],
  money: (minor: bigint) => Line['amount'],
) {
  return {
    pending: pending.map((row) => pendingOf(row, money)),
    credits: { count: totals.credits, amount: money(totals.creditSum) },
    debits: { count: totals.debits, amount: money(totals.debitSum) },
    next_cursor: null,
  };
}

function pendingOf(
  { amount, madeOn, heldUntil, merchant, place, lastFour, otherAmount, otherAsset }: PendingRow,
  money: (minor: bigint) => Line['amount'],
): List['pending'][number] {
  return {
    ...{ amount: money(amount), made_on: madeOn, held_until: heldUntil },
    ...{ merchant, place, last_four: lastFour },
    merchant_amount: otherMoney(otherAmount, otherAsset),
  };
}

function otherMoney(minor: bigint | null, asset: string | null): Line['amount'] | null {
  if (minor === null || asset === null) return null;
  return { amount: formatAmount({ minor, asset }), currency: asset };
}

function moneyOf({ head, decimal }: Statement): (minor: bigint) => Line['amount'] {
  return (minor) => ({ amount: decimal(minor), currency: head.asset });
}

function lineOf(row: StatementRow, money: (minor: bigint) => Line['amount']): Line {
  const debit = row.amount < 0n;
  return {
    sequence: String(row.seq),
    transaction_id: row.transactionId,
    transfer_id: row.transferId,
    booking_date: row.bookingDate,
    booked_at: row.bookedAt.toISOString(),
    value_date: row.valueDate,
    direction: debit ? 'debit' : 'credit',
    amount: money(debit ? -row.amount : row.amount),
    balance: money(row.balanceAfter),
    kind: row.kind,
    part: row.part,
    description: row.description,
    counterparty: counterpartyOf(row),
    exchange: exchangeOf(row),
  };
}

function counterpartyOf(row: StatementRow): Line['counterparty'] {
  const { counterpartyName: name, counterpartyNumber, counterpartyIban: iban, counterpartyBic: bic } = row;
  if (name === null && counterpartyNumber === null && iban === null) return null;
  return { name, account_number: counterpartyNumber, iban, bic };
}

function exchangeOf({ otherAmount, otherAsset, rate }: StatementRow): Line['exchange'] {
  const amount = otherMoney(otherAmount, otherAsset);
  return amount && { amount, rate };
}
