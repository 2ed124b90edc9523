/** The statement as PDF, written page by page: what is on a finished page is already on its way to the reader. */
import { setImmediate as turn } from 'node:timers/promises';
import { openPen } from './pen.ts';
import { addLine, closeSheet, openSheet } from './sheet.ts';
import { wordsFor } from './words.ts';
import { asOf, nameOf, type Statement } from '../statement.ts';

/** Ten pages: they take longer to write than the lines of other formats. */
const LINES_READ = 200;

export async function* asPdf(statement: Statement): AsyncGenerator<Buffer, void, undefined> {
  const { head, bank } = statement;
  const words = wordsFor(head.ownerLocale);
  const pen = openPen({
    size: 'A4',
    pdfVersion: '1.7',
    lang: words.language,
    displayTitle: true,
    info: { Title: `${words.statement} ${nameOf(statement)}`, Author: bank.name, CreationDate: asOf(head) },
  });
  // the reader need not wait for the sums
  const begun = pen.take();
  if (begun !== null) yield begun;
  const sheet = openSheet(statement, pen, words, await statement.totals());
  for await (const rows of statement.lines(LINES_READ)) {
    for (const row of rows) {
      if (!addLine(sheet, row)) continue;
      const written = pen.take();
      if (written !== null) yield written;
      // others shall not wait for a document of thousands of pages
      await turn();
    }
  }
  closeSheet(sheet, await statement.pending());
  pen.end();
  for (let rest = pen.take(); rest !== null; rest = pen.take()) yield rest;
}
