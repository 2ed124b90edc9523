/** Statements whose SQL depends on the call, such as a list with optional filters that Kysely cannot express. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { createHash } from 'node:crypto';
import type { Columns, RowOf } from './columns.ts';
import { declare, readerOf, send } from './declared.ts';

/** The last id of all: pages from below it begin with the newest row, and examples of statements find nothing by it. */
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Adds a value to the parameters and returns its place in the SQL, `$3`. */
export type Bind = (value: unknown) => string;

/**
 * The conditions whose value is given, joined by `and`: `{ 'r.base =': base }` becomes `r.base = $1`, or is left out if `base` is
 * undefined. `true` if nothing is given.
 */
export function narrowedTo(conditions: Readonly<Record<string, unknown>>, bind: Bind): string {
  const given = Object.entries(conditions).filter(([, value]) => value !== undefined);
  return given.map(([condition, value]) => `${condition} ${bind(value)}`).join(' and ') || 'true';
}

/**
 * Declares a statement that is composed for each call. The test prepares it for each of the `examples`, which therefore show every
 * branch of `compose`. Values go through `bind` only, never into the text.
 */
export function composedStatement<const Gives extends Columns, Wanted>(of: {
  readonly name: string;
  readonly gives: Gives;
  readonly compose: (wanted: Wanted, bind: Bind) => string;
  readonly examples: readonly Wanted[];
}): { all(db: EntityManager, wanted: Wanted): Promise<RowOf<Gives>[]> } {
  const composed = (wanted: Wanted): { readonly sql: string; readonly values: unknown[] } => {
    const values: unknown[] = [];
    const sql = of.compose(wanted, (value) => `$${values.push(value)}`);
    return { sql, values };
  };
  of.examples.forEach((example, place) =>
    declare({ name: `${of.name} ${place + 1}`, sql: composed(example).sql, takes: null, gives: of.gives }),
  );
  const reader = readerOf(of.name, of.gives);
  return {
    async all(db, wanted) {
      const { sql, values } = composed(wanted);
      return (await send(db, { name: nameOf(sql), sql }, values)).rows.map(reader);
    },
  };
}

const names = new Map<string, string>();

/** Each text is a prepared statement of its own. */
function nameOf(sql: string): string {
  const known = names.get(sql);
  if (known !== undefined) return known;
  const name = createHash('sha256').update(sql).digest('base64url');
  names.set(sql, name);
  return name;
}
