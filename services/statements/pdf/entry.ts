/** One line of a printed statement: who, what for, and the figures. */
import type { StatementRow } from '../../../db/queries/statements/lines.ts';
import { formatAmount } from '../../../domain/money.ts';
import { AMOUNT_WIDTH, COLUMN, DETAILS_WIDTH, GREY, type Sheet } from './layout.ts';
import { kindOf, type Words } from './words.ts';

const HEADING = { size: 8.5, height: 11 };
const TEXT = { size: 8, height: 10 };
const SMALL = { size: 7, height: 9 };
const GAP = 8;

/** A line, laid out: how much of a page it takes is known before it is written. */
export interface Entry {
  readonly row: StatementRow;
  readonly heading: string;
  readonly text: readonly string[];
  readonly small: readonly string[];
  readonly height: number;
}

export function layOut({ pen, words }: Sheet, row: StatementRow): Entry {
  const text = pen.broken(row.description, TEXT.size, DETAILS_WIDTH);
  const number = row.counterpartyIban ?? row.counterpartyNumber;
  const small = [number, exchangeOf(row, words)].filter((part) => part !== null);
  const height = HEADING.height + text.length * TEXT.height + small.length * SMALL.height + GAP;
  return { row, heading: row.counterpartyName ?? kindOf(row, words), text, small, height };
}

export function writeEntry({ pen, words, y, statement: { decimal } }: Sheet, entry: Entry): void {
  const { row, heading, text, small } = entry;
  const debit = row.amount < 0n;
  const amount = words.amount(decimal(debit ? -row.amount : row.amount));
  const figure = { y, size: HEADING.size, right: true, most: AMOUNT_WIDTH };
  pen.write(words.day(row.bookingDate), { x: COLUMN.booked, y, size: HEADING.size });
  pen.write(words.day(row.valueDate), { x: COLUMN.valued, y, size: HEADING.size, grey: GREY });
  pen.write(heading, { x: COLUMN.details, y, size: HEADING.size, weight: 'bold', most: DETAILS_WIDTH });
  pen.write(amount, { ...figure, x: debit ? COLUMN.debit : COLUMN.credit });
  pen.write(words.amount(decimal(row.balanceAfter)), { ...figure, x: COLUMN.balance });
  let below = y + HEADING.height;
  for (const line of text) {
    pen.write(line, { x: COLUMN.details, y: below, size: TEXT.size });
    below += TEXT.height;
  }
  for (const line of small) {
    pen.write(line, { x: COLUMN.details, y: below, size: SMALL.size, grey: GREY, most: DETAILS_WIDTH });
    below += SMALL.height;
  }
}

function exchangeOf({ otherAmount, otherAsset, rate }: StatementRow, words: Words): string | null {
  if (otherAmount === null || otherAsset === null) return null;
  const other = `${words.amount(formatAmount({ minor: otherAmount, asset: otherAsset }))} ${otherAsset}`;
  return rate === null ? other : `${other} ${words.at} ${rate}`;
}
