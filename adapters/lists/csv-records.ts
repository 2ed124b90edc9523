/** Rows of a large CSV file, one at a time. */
import { CsvError, parse } from 'csv-parse';
import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { ListFault } from '../../domain/screening/lists.ts';

const Row = z.object({ info: z.object({ lines: z.number() }), record: z.array(z.string()) });

export interface CsvRow {
  readonly line: number;
  readonly fields: readonly string[];
}

/** The rows of a file with so many fields each. Throws a ListFault with the line where the file is broken. */
export async function* csvRows(
  path: string,
  { fields, delimiter = ',' }: { readonly fields: number; readonly delimiter?: string },
): AsyncGenerator<CsvRow> {
  const parser = createReadStream(path).pipe(
    parse({
      bom: true,
      info: true,
      delimiter,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: 1 << 20,
    }),
  );
  let line = 0;
  try {
    for await (const raw of parser) {
      const { info, record: row } = Row.parse(raw);
      line = info.lines;
      // OFAC's files end with a single control character
      if (row.length === 1 && /^[\u001a\s]*$/.test(row[0] ?? '')) continue;
      if (row.length < fields) throw new ListFault(line, `has ${row.length} fields, not ${fields}`);
      yield { line, fields: row };
    }
  } catch (error) {
    if (error instanceof CsvError) throw new ListFault(parser.info.lines, error.message);
    throw error;
  }
  if (line === 0) throw new ListFault(1, 'the file is empty');
}

/** Rows by the names of the first one. */
export async function* csvTable(
  path: string,
  required: readonly string[],
  delimiter = ',',
): AsyncGenerator<{ readonly line: number; readonly get: (column: string) => string }> {
  let columns: ReadonlyMap<string, number> | undefined;
  for await (const { line, fields } of csvRows(path, { fields: 1, delimiter })) {
    if (columns === undefined) {
      const named = new Map(fields.map((name, place) => [name.trim().toLowerCase(), place]));
      const missing = required.find((name) => !named.has(name));
      if (missing !== undefined) throw new ListFault(line, `has no column ${missing}`);
      columns = named;
      continue;
    }
    if (fields.length < columns.size)
      throw new ListFault(line, `has ${fields.length} fields, not ${columns.size}`);
    const places = columns;
    yield { line, get: (column) => fields[places.get(column) ?? -1]?.trim() ?? '' };
  }
}
