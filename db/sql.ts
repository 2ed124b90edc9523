/** Plain SQL with bound parameters, inside the entity manager's transaction where it has one. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, type Kysely } from 'kysely';

/**
 * Runs one statement with `$1`-style parameters and answers its rows. MikroORM's own `execute` writes parameters into the
 * text; this binds them, so that PostgreSQL sees one statement and the log sees no values. Timestamps come as `Date`, days and
 * numerics as text.
 * `Row` is the caller's word for what the statement selects; the statement stands beside it in the same file.
 */
export async function rows<Row extends object>(
  em: EntityManager,
  statement: string,
  parameters: readonly unknown[] = [],
): Promise<Row[]> {
  const connection = em.getTransactionContext<Kysely<unknown>>() ?? em.getConnection().getClient<unknown>();
  const result = await connection.executeQuery<Row>(CompiledQuery.raw(statement, [...parameters]));
  return result.rows;
}

/** The only row, or undefined. */
export async function row<Row extends object>(
  em: EntityManager,
  statement: string,
  parameters: readonly unknown[] = [],
): Promise<Row | undefined> {
  const [first] = await rows<Row>(em, statement, parameters);
  return first;
}
