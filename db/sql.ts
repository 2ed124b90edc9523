/** Plain SQL with bound parameters, inside the entity manager's transaction where it has one. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, type Kysely } from 'kysely';
import { createHash } from 'node:crypto';

/**
 * Runs one statement with `$1`-style parameters and answers its rows. MikroORM's own `execute` writes parameters into the
 * text; this binds them, so that PostgreSQL sees one statement and the log sees no values. Timestamps come as `Date`, days and
 * numerics as text.
 * `Row` is the caller's word for what the statement selects; nothing checks it.
 *
 * Deprecated: use `query` (db/rows/query.ts) or declare a `statement` (db/rows/statement.ts), whose rows are checked.
 */
export async function rows<Row extends object>(
  em: EntityManager,
  statement: string,
  parameters: readonly unknown[] = [],
): Promise<Row[]> {
  const transaction = em.getTransactionContext<Kysely<unknown>>();
  if (transaction !== undefined)
    return (await transaction.executeQuery<Row>(CompiledQuery.raw(statement, [...parameters]))).rows;
  const pool = await em.getConnection().getNativeClient();
  return (await pool.query<Row>({ name: nameOf(statement), text: statement, values: [...parameters] })).rows;
}

const names = new Map<string, string>();

/** Outside a transaction a statement is prepared once a connection: PostgreSQL then parses it once, not at each call. */
function nameOf(statement: string): string {
  const known = names.get(statement);
  if (known !== undefined) return known;
  const name = createHash('sha256').update(statement).digest('base64url');
  names.set(statement, name);
  return name;
}

/** The only row, or undefined. Deprecated for the same reason as `rows`. */
export async function row<Row extends object>(
  em: EntityManager,
  statement: string,
  parameters: readonly unknown[] = [],
): Promise<Row | undefined> {
  const [first] = await rows<Row>(em, statement, parameters);
  return first;
}

/** A moment as the wire writes it: RFC 3339 in UTC with milliseconds. */
export function iso(moment: Date | string): string {
  return new Date(moment).toISOString();
}
