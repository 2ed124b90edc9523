/** The statement as CSV (RFC 4180) for spreadsheets: a line each for the opening balance, every entry, the closing balance. */
import { stringify } from 'csv-stringify/sync';
import type { StatementRow } from '../../db/queries/statements.ts';
import type { Statement } from './statement.ts';

const COLUMNS = [
  ...['record', 'sequence', 'booking_date', 'value_date', 'description'],
  ...['counterparty', 'counterparty_account', 'counterparty_iban', 'kind', 'part'],
  ...['debit', 'credit', 'balance', 'currency', 'transaction_id', 'transfer_id'],
] as const;
type Record = Partial<{ readonly [Column in (typeof COLUMNS)[number]]: string | null }>;

/** Without it Excel takes the file for one of its own old code pages. */
const BYTE_ORDER_MARK = '\uFEFF';

export async function* asCsv(statement: Statement): AsyncGenerator<string, void, undefined> {
  const { head, period, decimal } = statement;
  const balance = (record: string, booking_date: string, minor: string): Record => ({
    ...{ record, booking_date, balance: decimal(minor), currency: head.asset },
  });
  yield BYTE_ORDER_MARK + stringify([COLUMNS], { record_delimiter: 'windows' });
  yield written([balance('opening_balance', period.from, head.opening)]);
  for await (const rows of statement.lines()) yield written(rows.map((row) => entry(row, statement)));
  yield written([balance('closing_balance', period.to, head.closing)]);
}

function entry(row: StatementRow, { head, decimal }: Statement): Record {
  const debit = row.amount.startsWith('-');
  return {
    record: 'entry',
    sequence: row.seq,
    booking_date: row.booking_date,
    value_date: row.value_date,
    description: harmless(row.description),
    counterparty: harmless(row.counterparty_name ?? ''),
    counterparty_account: row.counterparty_number,
    counterparty_iban: row.counterparty_iban,
    kind: row.kind,
    part: row.part,
    debit: debit ? decimal(row.amount.slice(1)) : null,
    credit: debit ? null : decimal(row.amount),
    balance: decimal(row.balance_after),
    currency: head.asset,
    transaction_id: row.transaction_id,
    transfer_id: row.transfer_id,
  };
}

/**
 * Text that a spreadsheet would run as a formula gets an apostrophe in front (OWASP: CSV injection): `=`, `+`, `-`, `@`, their
 * full-width and other forms, also behind blanks and invisible characters, and a leading tab or line break.
 */
export function harmless(text: string): string {
  if (/^[\p{L}\p{N}]/u.test(text)) return text;
  return /^(?:[\t\r\n]|[\s\p{Cf}\p{Cc}]*[=+\-@\u2212])/u.test(text.normalize('NFKC')) ? `'${text}` : text;
}

function written(records: readonly Record[]): string {
  return stringify([...records], { columns: [...COLUMNS], record_delimiter: 'windows' });
}
