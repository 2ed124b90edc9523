/** The formats of a statement, each with its writer. */
import type { Streamed } from '../../services/streamed.ts';
import { asCamt053 } from '../../services/statements/camt053.ts';
import { asCsv } from '../../services/statements/csv.ts';
import { asPdf } from '../../services/statements/pdf/pdf.ts';
import { nameOf, type Statement } from '../../services/statements/statement.ts';
import { asJson } from './json.ts';

type Format = (typeof FORMATS)[number];

/** The first is for whoever does not say. */
export const FORMATS = ['application/json', 'text/csv', 'application/pdf', 'application/xml'] as const;

const WRITERS: Readonly<
  Record<Format, { ending: string; write: (statement: Statement) => Streamed['parts'] }>
> = {
  'application/json': { ending: 'json', write: asJson },
  'text/csv': { ending: 'csv', write: asCsv },
  'application/pdf': { ending: 'pdf', write: asPdf },
  'application/xml': { ending: 'xml', write: asCamt053 },
};

/** The answer in one of them, written while it is read. */
export function streamed(statement: Statement, format: Format): Streamed {
  const { ending, write } = WRITERS[format];
  return { parts: write(statement), filename: `statement-${nameOf(statement)}.${ending}` };
}
