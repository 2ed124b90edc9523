/** The statement as CSV (RFC 4180) for spreadsheets: a line each for the opening balance, every entry, the closing balance. */
import type { StatementRow } from '../../db/queries/statements/lines.ts';
import type { PendingRow } from '../../db/queries/statements/pending.ts';
import { formatAmount } from '../../domain/money.ts';
import type { Statement } from './statement.ts';

const COLUMNS = [
  ...['record', 'sequence', 'booking_date', 'value_date', 'description'],
  ...['counterparty', 'counterparty_account', 'counterparty_iban', 'kind', 'part'],
  ...['debit', 'credit', 'balance', 'currency', 'transaction_id', 'transfer_id'],
  // what the other side paid or got, if it is in another currency
  ...['other_amount', 'other_currency', 'rate'],
];
/** In the order of the columns; null is an empty cell. */
type Cells = readonly (string | null)[];

/** Without it Excel takes the file for one of its own old code pages. */
const BYTE_ORDER_MARK = '\uFEFF';

export async function* asCsv(statement: Statement): AsyncGenerator<string, void, undefined> {
  const { head, period } = statement;
  yield BYTE_ORDER_MARK + written(COLUMNS) + balance('opening_balance', period.from, head.opening, statement);
  for await (const rows of statement.lines()) {
    let part = '';
    for (const row of rows) part += written(cellsOf(row, statement));
    yield part;
  }
  yield balance('closing_balance', period.to, head.closing, statement);
  for (const row of await statement.pending()) yield written(pendingCells(row, statement));
}

/** A card payment that is held: it is in no balance. */
function pendingCells(row: PendingRow, { head, decimal }: Statement): Cells {
  return [
    ...['pending', null, row.madeOn, null, harmless(`Card ${row.lastFour}, ${row.place}`)],
    ...[harmless(row.merchant), null, null, 'card_payment', null],
    ...[decimal(row.amount), null, null, head.asset, null, null],
    ...otherCells(row, null),
  ];
}

function otherCells(
  { otherAmount, otherAsset }: Pick<StatementRow, 'otherAmount' | 'otherAsset'>,
  rate: string | null,
): Cells {
  if (otherAmount === null || otherAsset === null) return [null, null, null];
  return [formatAmount({ minor: otherAmount, asset: otherAsset }), otherAsset, rate];
}

function balance(record: string, day: string, minor: bigint, { head, decimal }: Statement): string {
  const [middle, end] = [Array<null>(9).fill(null), Array<null>(5).fill(null)];
  return written([record, null, day, ...middle, decimal(minor), head.asset, ...end]);
}

function cellsOf(row: StatementRow, { head, decimal }: Statement): Cells {
  const debit = row.amount < 0n;
  const amount = decimal(debit ? -row.amount : row.amount);
  return [
    ...['entry', String(row.seq), row.bookingDate, row.valueDate, harmless(row.description)],
    harmless(row.counterpartyName ?? ''),
    ...[row.counterpartyNumber, row.counterpartyIban, row.kind, row.part],
    ...(debit ? [amount, null] : [null, amount]),
    ...[decimal(row.balanceAfter), head.asset, row.transactionId, row.transferId],
    ...otherCells(row, row.rate),
  ];
}

/**
 * Text that a spreadsheet would run as a formula gets an apostrophe in front (OWASP: CSV injection): `=`, `+`, `-`, `@`, their
 * full-width and other forms, also behind blanks, quotes and invisible characters, and a leading tab or line break. A spreadsheet may
 * separate cells by `;`, tab or `|` (Excel does so in half of Europe), whatever our separator is, so each part counts as a cell.
 */
export function harmless(text: string): string {
  if (/^[\p{L}\p{N}][^;|\t]*$/u.test(text)) return text;
  const [first = '', ...others] = text.split(/(?<=[;|\t])/u);
  const start = /^[\t\r\n]/.test(first) ? `'${first}` : asText(first);
  return [start, ...others.map(asText)].join('');
}

function asText(cell: string): string {
  return /^[\s\p{Cf}\p{Cc}"]*[=+\-@\u2212]/u.test(cell.normalize('NFKC')) ? `'${cell}` : cell;
}

/** RFC 4180 §2: lines end with CR LF; a cell with a comma, a quote or a line break stands in quotes, quotes in it are doubled. */
function written(cells: Cells): string {
  let line = '';
  for (const cell of cells) {
    const plain = cell === null || !/[",\r\n]/.test(cell);
    line += `,${plain ? (cell ?? '') : `"${cell.replaceAll('"', '""')}"`}`;
  }
  return `${line.slice(1)}\r\n`;
}
