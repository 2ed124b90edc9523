/**
 * Tables in memory with a journal of JSON lines on disk. A line is one change and is on disk before the change is answered. At start the
 * journal is read, and rewritten with the newest version of each row.
 */
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';

export interface Table<Row> {
  get(key: string): Row | undefined;
  set(key: string, row: Row): void;
  values(): Iterable<Row>;
  readonly size: number;
}

export interface Journal {
  /** The table of that name; throws if a stored row does not fit the schema. */
  table<Shape extends z.ZodType>(name: string, shape: Shape): Table<z.output<Shape>>;
  /** Writes the rows that were set since the last call; on return they are on disk. */
  commit(): void;
  close(): void;
}

const Row = z.tuple([z.string(), z.string(), z.unknown()]);
const Line = z.array(Row);
type Row = z.output<typeof Row>;

/** Opens the journal in that file, and creates it if it is missing. */
export function openJournal(file: string): Journal {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const found = new Map<string, Map<string, unknown>>();
  for (const [name, key, row] of existsSync(file) ? rowsIn(readFileSync(file, 'utf8')) : [])
    found.set(name, (found.get(name) ?? new Map<string, unknown>()).set(key, row));
  const descriptor = rewritten(file, found);
  let changes: Row[] = [];

  return {
    table(name, shape) {
      const rows = new Map([...(found.get(name) ?? [])].map(([key, row]) => [key, shape.parse(row)]));
      return {
        get: (key) => rows.get(key),
        set(key, row) {
          rows.set(key, row);
          changes.push([name, key, row]);
        },
        values: () => rows.values(),
        get size() {
          return rows.size;
        },
      };
    },
    commit() {
      if (changes.length === 0) return;
      append(descriptor, changes);
      changes = [];
    },
    close: () => closeSync(descriptor),
  };
}

/** Ignores an incomplete last line: a crash cut it off before the change was answered. */
function rowsIn(text: string): Row[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.flatMap((line) => Line.parse(JSON.parse(line)));
}

/** Replaces the file by renaming, so that a crash leaves either the old one or the new one. */
function rewritten(file: string, found: ReadonlyMap<string, ReadonlyMap<string, unknown>>): number {
  const descriptor = openSync(`${file}.new`, 'w', 0o600);
  for (const [name, rows] of found)
    append(
      descriptor,
      [...rows].map(([key, row]) => [name, key, row]),
    );
  renameSync(`${file}.new`, file);
  return descriptor;
}

function append(descriptor: number, rows: readonly Row[]): void {
  const text = JSON.stringify(rows, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  const line = Buffer.from(`${text}\n`);
  for (let written = 0; written < line.length;) written += writeSync(descriptor, line, written);
  fdatasyncSync(descriptor);
}
