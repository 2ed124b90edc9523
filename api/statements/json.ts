/** The statement as one JSON object: TransactionStatementList. */
import type { z } from 'zod';
import type { StatementRow, StatementTotals } from '../../db/queries/statements/statements.ts';
import { decimalOf } from '../../domain/statements.ts';
import { scaleOf } from '../../domain/money.ts';
import type * as wire from './schemas.ts';
import type { Statement } from './statement.ts';

type Line = z.input<typeof wire.StatementLine>;
type List = z.input<typeof wire.TransactionStatementList>;

export async function* asJson(statement: Statement): AsyncGenerator<string, void, undefined> {
  const { head, period, bank } = statement;
  const money = moneyOf(statement);
  const front: Omit<List, keyof ReturnType<typeof endOf> | 'items'> = {
    account: {
      id: head.account_id,
      number: head.number,
      iban: head.iban,
      type: head.type_name,
      owner: head.owner_name,
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
    yield comma + rows.map((row) => JSON.stringify(lineOf(row, money))).join(',');
    comma = ',';
  }
  yield `],${JSON.stringify(endOf(await statement.totals(), money)).slice(1)}`;
}

function endOf(totals: StatementTotals, money: (minor: string) => Line['amount']) {
  return {
    credits: { count: Number(totals.credits), amount: money(totals.credit_sum) },
    debits: { count: Number(totals.debits), amount: money(totals.debit_sum) },
    next_cursor: null,
  };
}

function moneyOf({ head, decimal }: Statement): (minor: string) => Line['amount'] {
  return (minor) => ({ amount: decimal(minor), currency: head.asset });
}

function lineOf(row: StatementRow, money: (minor: string) => Line['amount']): Line {
  const debit = row.amount.startsWith('-');
  return {
    sequence: row.seq,
    transaction_id: row.transaction_id,
    transfer_id: row.transfer_id,
    booking_date: row.booking_date,
    booked_at: row.booked_at.toISOString(),
    value_date: row.value_date,
    direction: debit ? 'debit' : 'credit',
    amount: money(debit ? row.amount.slice(1) : row.amount),
    balance: money(row.balance_after),
    kind: row.kind,
    part: row.part,
    description: row.description,
    counterparty: counterpartyOf(row),
    exchange: exchangeOf(row),
  };
}

function counterpartyOf(row: StatementRow): Line['counterparty'] {
  const {
    counterparty_name: name,
    counterparty_number,
    counterparty_iban: iban,
    counterparty_bic: bic,
  } = row;
  if (name === null && counterparty_number === null && iban === null) return null;
  return { name, account_number: counterparty_number, iban, bic };
}

function exchangeOf({ other_amount, other_asset, rate }: StatementRow): Line['exchange'] {
  if (other_amount === null || other_asset === null) return null;
  const amount = decimalOf(other_amount, scaleOf(other_asset) ?? 0);
  return { amount: { amount, currency: other_asset }, rate };
}
