/** The sheets of a printed statement: where things stand on an A4 page, and when the next one begins. */
import type { StatementRow } from '../../../db/queries/statements/lines.ts';
import type { PendingRow } from '../../../db/queries/statements/pending.ts';
import type { StatementTotals } from '../../../db/queries/statements/statements.ts';
import { dayAt } from '../../../domain/statements.ts';
import { layOut, writeEntry } from './entry.ts';
import { AMOUNT_WIDTH, COLUMN, GREY, LEFT, RIGHT, type Sheet } from './layout.ts';
import type { Pen } from './pen.ts';
import type { Words } from './words.ts';
import { asOf, nameOf, type Statement } from '../statement.ts';

const TOP = 60;
/** Nothing but the footer stands below. */
const BOTTOM = 780;
/** The closing balance, the end and what is to be said about other scripts. */
const END_HEIGHT = 80;

const [DARK_RULE, LIGHT_RULE, BOX] = [0.2, 0.75, 0.95];

/** The first page as far as the opening balance. */
export function openSheet(statement: Statement, pen: Pen, words: Words, totals: StatementTotals): Sheet {
  const { head, period, bank } = statement;
  const sheet: Sheet = { statement, pen, words, y: 0, page: 0, balance: head.opening };
  newPage(sheet);
  pen.write(bank.name, { x: LEFT, y: sheet.y, size: 17, weight: 'bold', most: 300 });
  pen.write(words.statement, { x: RIGHT, y: sheet.y, size: 13, right: true });
  pen.rule(LEFT, RIGHT, sheet.y + 10, DARK_RULE);
  sheet.y += 38;
  writeFacts(sheet);
  sheet.y += 10;
  writeSummary(sheet, totals);
  writeColumns(sheet);
  writeBalance(sheet, words.opening, period.from, head.opening);
  return sheet;
}

/** Writes a line; true where a new page had to begin for it. */
export function addLine(sheet: Sheet, row: StatementRow): boolean {
  const entry = layOut(sheet, row);
  const full = sheet.y + entry.height > BOTTOM;
  if (full) nextPage(sheet);
  writeEntry(sheet, entry);
  sheet.balance = row.balanceAfter;
  sheet.y += entry.height;
  return full;
}

/** The closing balance, what is not booked yet, and what is to be said at the end. */
export function closeSheet(sheet: Sheet, pending: readonly PendingRow[]): void {
  const { pen, words } = sheet;
  const { head, period } = sheet.statement;
  if (sheet.y + END_HEIGHT > BOTTOM) nextPage(sheet);
  if (head.seqBefore === head.seqLast) {
    pen.write(words.nothing, { x: COLUMN.details, y: sheet.y, size: 8.5, grey: GREY });
    sheet.y += 20;
  }
  pen.rule(LEFT, RIGHT, sheet.y - 8, DARK_RULE);
  sheet.y += 6;
  writeBalance(sheet, words.closing, period.to, head.closing);
  if (pending.length > 0) writePending(sheet, pending);
  const notes = [words.end, ...(pen.transliterated() ? [words.transliterated] : [])];
  for (const line of notes.flatMap((note) => pen.broken(note, 7.5, RIGHT - LEFT))) {
    pen.write(line, { x: LEFT, y: sheet.y, size: 7.5, grey: GREY });
    sheet.y += 11;
  }
}

function writePending(sheet: Sheet, pending: readonly PendingRow[]): void {
  const { pen, words, statement } = sheet;
  const { decimal, head } = statement;
  sheet.y += 6;
  pen.write(words.pending, { x: LEFT, y: sheet.y, size: 8.5, weight: 'bold', most: RIGHT - LEFT });
  sheet.y += 14;
  for (const { amount, madeOn, merchant, place, lastFour } of pending) {
    if (sheet.y + END_HEIGHT > BOTTOM) newPage(sheet);
    const small = { y: sheet.y, size: 8 };
    pen.write(words.day(madeOn), { ...small, x: COLUMN.booked });
    const text = [merchant, place, lastFour].join(', ');
    pen.write(text, { ...small, x: COLUMN.details, most: COLUMN.credit - COLUMN.details });
    const held = `${words.amount(decimal(amount))} ${head.asset}`;
    pen.write(held, { ...small, x: RIGHT, right: true, most: AMOUNT_WIDTH });
    sheet.y += 12;
  }
  sheet.y += 10;
}

function newPage(sheet: Sheet): void {
  const { pen, words, statement } = sheet;
  const { name, bic } = statement.bank;
  sheet.page += 1;
  sheet.y = TOP;
  pen.page();
  pen.rule(LEFT, RIGHT, 792, LIGHT_RULE);
  const footer = { y: 804, size: 7, grey: GREY };
  pen.write(`${name} · BIC ${bic} · ${nameOf(statement)}`, { ...footer, x: LEFT, most: 420 });
  pen.write(`${words.page} ${String(sheet.page)}`, { ...footer, x: RIGHT, right: true });
}

function nextPage(sheet: Sheet): void {
  newPage(sheet);
  writeColumns(sheet);
  const { pen, words, y, statement } = sheet;
  const carried = { y, size: 8, grey: GREY };
  pen.write(words.forward, { ...carried, x: COLUMN.details });
  const amount = words.amount(statement.decimal(sheet.balance));
  pen.write(amount, { ...carried, x: COLUMN.balance, right: true, most: AMOUNT_WIDTH });
  sheet.y += 16;
}

function writeFacts(sheet: Sheet): void {
  const { pen, words } = sheet;
  const { head, period, bank } = sheet.statement;
  const account = head.iban === null ? head.number : (head.iban.match(/.{1,4}/g) ?? []).join(' ');
  const facts = [
    [words.owner, head.ownerName],
    [words.account, account],
    [words.accountType, head.typeName],
    [words.period, `${words.day(period.from)} – ${words.day(period.to)}`],
    [words.asOf, words.day(dayAt(asOf(head), bank.timeZone))],
  ] as const;
  for (const [label, value] of facts) {
    pen.write(label, { x: LEFT, y: sheet.y, size: 8, grey: GREY });
    pen.write(value, { x: 130, y: sheet.y, size: 9.5, most: RIGHT - 130 });
    sheet.y += 15;
  }
}

function writeSummary(sheet: Sheet, totals: StatementTotals): void {
  const { pen, words, y } = sheet;
  const { head, decimal } = sheet.statement;
  pen.area(LEFT, y, RIGHT - LEFT, 44, BOX);
  const width = (RIGHT - LEFT) / 4;
  const boxes = [
    [words.opening, head.opening],
    [`${words.credits} (${totals.credits})`, totals.creditSum],
    [`${words.debits} (${totals.debits})`, totals.debitSum],
    [words.closing, head.closing],
  ] as const;
  boxes.forEach(([label, minor], index) => {
    const x = LEFT + 10 + index * width;
    const amount = `${words.amount(decimal(minor))} ${head.asset}`;
    pen.write(label, { x, y: y + 16, size: 7.5, grey: GREY });
    pen.write(amount, { x, y: y + 33, size: 10, weight: 'bold', most: width - 14 });
  });
  sheet.y += 70;
}

function writeColumns(sheet: Sheet): void {
  const { pen, words, y } = sheet;
  const title = { y, size: 7.5, weight: 'bold' } as const;
  pen.write(words.booked, { ...title, x: COLUMN.booked });
  pen.write(words.valued, { ...title, x: COLUMN.valued });
  pen.write(words.details, { ...title, x: COLUMN.details });
  pen.write(words.debit, { ...title, x: COLUMN.debit, right: true });
  pen.write(words.credit, { ...title, x: COLUMN.credit, right: true });
  pen.write(`${words.balance} ${sheet.statement.head.asset}`, { ...title, x: COLUMN.balance, right: true });
  pen.rule(LEFT, RIGHT, y + 5, DARK_RULE);
  sheet.y += 19;
}

function writeBalance(sheet: Sheet, label: string, day: string, minor: bigint): void {
  const { pen, words, y, statement } = sheet;
  const bold = { y, size: 8.5, weight: 'bold' } as const;
  pen.write(words.day(day), { ...bold, x: COLUMN.booked });
  pen.write(label, { ...bold, x: COLUMN.details });
  const amount = words.amount(statement.decimal(minor));
  pen.write(amount, { ...bold, x: COLUMN.balance, right: true, most: AMOUNT_WIDTH });
  pen.rule(LEFT, RIGHT, y + 6, LIGHT_RULE);
  sheet.y += 21;
}
