/**
 * What the columns of a statement hold, and what they become in TypeScript. A column is snake_case in SQL and camelCase here. Each
 * converter refuses a value of another kind, so a wrong declaration fails at the first row instead of passing a wrong value on.
 */
import type { z } from 'zod';

/** Reads one column, or writes one parameter, of the named types of PostgreSQL. */
export interface Column<Value> {
  readonly types: readonly string[];
  /** Converts what the driver returns. The row's other values are not known here, so errors name the kind only. */
  read(raw: unknown): Value;
  /** Converts what the driver is given. */
  write(value: Value): unknown;
  /** The same column where it may hold null. */
  nullable(): Column<Value | null>;
}

/** Columns by their names in TypeScript. */
export type Columns = Readonly<Record<string, Column<unknown>>>;

/** The row that such columns make. */
export type RowOf<Of> = { readonly [Name in keyof Of]: Of[Name] extends Column<infer Value> ? Value : never };

/** `closedAt` is `closed_at` in SQL. The one place that knows. */
export function columnName(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Any text. */
export const text = (): Column<string> => column(['text', 'character varying', 'character'], textOf);

/** A UUID with the brand of what it identifies. */
export const id = <Id extends string = string>(): Column<Id> =>
  // the column holds a UUID; of what, only its declaration knows
  column(['uuid'], (raw) => textOf(raw) as Id);

/** An amount in minor units. */
export const minor = (): Column<bigint> => column(['minor', 'numeric'], (raw) => BigInt(textOf(raw)), String);

/** A rate or another number with decimal places, as text: a JavaScript number would round it. */
export const decimal = (): Column<string> => column(['numeric'], textOf);

/** A number of at most 32 bits. */
export const integer = (): Column<number> => column(['integer', 'smallint'], numberOf);

/** A span in seconds, which may have a fraction. */
export const seconds = (): Column<number> => column(['double precision'], numberOf);

/** A number of 64 bits. */
export const bigint = (): Column<bigint> => column(['bigint'], (raw) => BigInt(textOf(raw)), String);

/** A number of 64 bits that counts something, such as `count(*)`. Throws above 2⁵³. */
export const bigCount = (): Column<number> =>
  column(['bigint'], (raw) => {
    const count = Number(textOf(raw));
    if (!Number.isSafeInteger(count)) throw new TypeError('a count is too large for a number');
    return count;
  });

export const boolean = (): Column<boolean> =>
  column(['boolean'], (raw) => (typeof raw === 'boolean' ? raw : refuse('a boolean', raw)));

/** A point in time. */
export const moment = (): Column<Date> =>
  column(['timestamp with time zone'], (raw) => (raw instanceof Date ? raw : refuse('a point in time', raw)));

/** A day of a calendar, `2026-03-01`. */
export const day = (): Column<string> => column(['date'], textOf);

/** A time of day, `14:30:00`. */
export const timeOfDay = (): Column<string> => column(['time without time zone'], textOf);

export const bytes = (): Column<Buffer> =>
  column(['bytea'], (raw) => (Buffer.isBuffer(raw) ? raw : refuse('bytes', raw)));

/** JSON that the schema checks at each read. */
export const json = <Schema extends z.ZodType>(schema: Schema): Column<z.output<Schema>> =>
  column(['jsonb', 'json'], (raw) => schema.parse(raw), JSON.stringify);

/** JSON that this service has written itself and that nothing checks. */
export const ownJson = <Value>(): Column<Value> =>
  // a column of jsonb has no type that the driver could check
  column(['jsonb', 'json'], (raw) => raw as Value, JSON.stringify);

/** One of these words. */
export const oneOf = <const Word extends string>(words: readonly Word[]): Column<Word> =>
  column(
    ['text', 'character varying'],
    (raw) => words.find((word) => word === raw) ?? refuse(words.join(' | '), raw),
  );

export const textArray = (): Column<readonly string[]> =>
  column(['text[]'], (raw) => arrayOf(raw).map(textOf));

/** UUIDs of one kind. */
export const idArray = <Id extends string = string>(): Column<readonly Id[]> =>
  column(['uuid[]'], (raw) => arrayOf(raw).map((element) => id<Id>().read(element)));

/** One of these words for each element. */
export const arrayOfWords = <const Word extends string>(words: readonly Word[]): Column<readonly Word[]> =>
  column(['text[]'], (raw) => arrayOf(raw).map((element) => oneOf(words).read(element)));

function column<Value>(
  types: readonly string[],
  read: (raw: unknown) => Value,
  write: (value: Value) => unknown = (value) => value,
): Column<Value> {
  return {
    types,
    read,
    write,
    nullable: () =>
      column<Value | null>(
        types,
        (raw) => (raw === null ? null : read(raw)),
        (value) => (value === null ? null : write(value)),
      ),
  };
}

function textOf(raw: unknown): string {
  return typeof raw === 'string' ? raw : refuse('text', raw);
}

function numberOf(raw: unknown): number {
  return typeof raw === 'number' ? raw : refuse('a number', raw);
}

function arrayOf(raw: unknown): readonly unknown[] {
  return Array.isArray(raw) ? raw : refuse('an array', raw);
}

/** Names the kind of what was found and not its value: a value may be somebody's secret. */
function refuse(expected: string, raw: unknown): never {
  throw new TypeError(`expected ${expected}, found ${raw === null ? 'null' : typeof raw}`);
}
