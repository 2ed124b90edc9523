/**
 * Rows that survive a restart: in memory, and in a journal of JSON lines. One line is one change as a whole, and is on the disk before
 * whoever asked for the change is answered. At a start the journal is read and written anew without what was overwritten.
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
  /** The rows of that name, as they were written; throws if one of them has another shape. */
  table<Shape extends z.ZodType>(name: string, shape: Shape): Table<z.output<Shape>>;
  /** Writes what was set since the last call. Returns once it is on the disk. */
  commit(): void;
  close(): void;
}

const Row = z.tuple([z.string(), z.string(), z.unknown()]);
const Line = z.array(Row);
type Row = z.output<typeof Row>;

/** Opens the journal in that file, which it makes if it is missing. */
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

/** A last line without its end was cut off by a crash: nobody was answered for it. */
function rowsIn(text: string): Row[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.flatMap((line) => Line.parse(JSON.parse(line)));
}

/** The file is replaced at once, so that a crash leaves the one or the other. */
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
