/** A report of suspicious activity on paper: who reports whom, why, and the movements that were hit. */
import type { ReportedMovement } from '../../db/queries/aml/reviews.ts';
import { GREY, LEFT, RIGHT } from '../statements/pdf/layout.ts';
import { openPen, type Pen } from '../statements/pdf/pen.ts';
import type { ReportFile } from './reports.ts';

const TOP = 60;
const BOTTOM = 780;
const LINE = 13;
const SIZE = 9;
const COLUMN = { kind: 142, other: 252, amount: RIGHT };

/** A report while it is written: how far down which page it is. */
interface Paper {
  readonly pen: Pen;
  readonly footer: string;
  y: number;
  page: number;
}

/** The report as PDF. The same report gives the same words. */
export function reportPdf(file: ReportFile): Buffer {
  const { number, bank, report, written } = file;
  const title = `Report of suspicious activity AML-${number}`;
  const pen = openPen({
    ...{ size: 'A4', pdfVersion: '1.7', lang: 'en', displayTitle: true },
    info: { Title: title, Author: bank.name, CreationDate: written },
  });
  const paper: Paper = { pen, footer: `${bank.name} · BIC ${bank.bic} · AML-${number}`, y: 0, page: 0 };
  newPage(paper);
  pen.write(title, { x: LEFT, y: paper.y, size: 15, weight: 'bold', most: RIGHT - LEFT });
  paper.y += 26;
  for (const [label, value] of factsOf(file)) {
    pen.write(label, { x: LEFT, y: paper.y, size: SIZE - 1, grey: GREY });
    pen.write(value, { x: COLUMN.kind, y: paper.y, size: SIZE, most: RIGHT - COLUMN.kind });
    paper.y += LINE;
  }
  heading(paper, 'Reasons');
  for (const paragraph of report.narrative.split('\n'))
    for (const line of pen.broken(paragraph, SIZE, RIGHT - LEFT))
      below(paper, (y) => pen.write(line, { x: LEFT, y, size: SIZE }));
  heading(paper, 'Movements');
  for (const movement of file.movements) below(paper, (y) => writeMovement(pen, movement, y));
  pen.end();
  const parts: Buffer[] = [];
  for (let part = pen.take(); part !== null; part = pen.take()) parts.push(part);
  return Buffer.concat(parts);
}

function factsOf({ bank, report, person, written }: ReportFile): readonly (readonly [string, string])[] {
  return [
    ['Reporting bank', `${bank.name}, ${bank.bic}`],
    ['Status', report.status],
    ['Reference', report.reference ?? ''],
    ['Date', written.toISOString().slice(0, 10)],
    ['Person', person ?? ''],
    ['Customer', report.customerId ?? ''],
  ];
}

function writeMovement(pen: Pen, movement: ReportedMovement, y: number): void {
  const { at, kind, counterparty, counterpartyCountry: country, amount, asset } = movement;
  const other = [counterparty, country].filter((part) => part !== null).join(', ');
  pen.write(at.toISOString().slice(0, 16).replace('T', ' '), { x: LEFT, y, size: SIZE - 1 });
  pen.write(kind.replaceAll('_', ' '), { x: COLUMN.kind, y, size: SIZE - 1, most: 100 });
  pen.write(other, { x: COLUMN.other, y, size: SIZE - 1, most: 190 });
  pen.write(`${amount} ${asset}`, { x: COLUMN.amount, y, size: SIZE - 1, right: true, most: 100 });
}

function heading(paper: Paper, text: string): void {
  paper.y += LINE;
  below(paper, (y) => paper.pen.write(text, { x: LEFT, y, size: SIZE + 1, weight: 'bold' }));
}

/** Writes one line, on the next page if this one is full. */
function below(paper: Paper, write: (y: number) => void): void {
  if (paper.y > BOTTOM) newPage(paper);
  write(paper.y);
  paper.y += LINE;
}

function newPage(paper: Paper): void {
  paper.page += 1;
  paper.y = TOP;
  paper.pen.page();
  paper.pen.write(paper.footer, { x: LEFT, y: 804, size: 7, grey: GREY, most: 420 });
  paper.pen.write(`Page ${String(paper.page)}`, { x: RIGHT, y: 804, size: 7, grey: GREY, right: true });
}
