/** Showing the answer to a statement where there is no psql to do it. */
import { z } from 'zod';

const Result = z.object({
  command: z.string().nullable(),
  rowCount: z.number().nullable(),
  fields: z.array(z.object({ name: z.string() })),
  rows: z.array(z.array(z.string().nullable())),
});

/** A result of `pg` in its array mode, in columns as psql prints it; what answers no rows is told by its command. */
export function alignedTable(result: unknown): string {
  const { command, rowCount, fields, rows } = Result.parse(result);
  if (fields.length === 0) return [command, rowCount].filter((part) => part !== null).join(' ');
  const cells = rows.map((row) => row.map((value) => (value ?? '').replaceAll('\n', '↵')));
  const widths = fields.map(({ name }, column) =>
    Math.max(name.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const line = (values: readonly string[]): string =>
    values
      .map((value, column) => ` ${value.padEnd(widths[column] ?? 0)} `)
      .join('|')
      .trimEnd();
  return [
    line(fields.map(({ name }) => name)),
    widths.map((width) => '-'.repeat(width + 2)).join('+'),
    ...cells.map(line),
    `(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})`,
  ].join('\n');
}
