/** Statements that tests write themselves, on the connection of the code under test. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, type Kysely } from 'kysely';

/** Runs a statement with `$1`-style parameters, in the entity manager's transaction if it has one. `Row` is the test's own word. */
export async function rows<Row extends object>(
  em: EntityManager,
  statement: string,
  parameters: readonly unknown[] = [],
): Promise<Row[]> {
  const transaction = em.getTransactionContext<Kysely<unknown>>();
  if (transaction !== undefined)
    return (await transaction.executeQuery<Row>(CompiledQuery.raw(statement, [...parameters]))).rows;
  const pool = await em.getConnection().getNativeClient();
  return (await pool.query<Row>(statement, [...parameters])).rows;
}

/** The only row, or undefined. */
export async function row<Row extends object>(
  em: EntityManager,
  statement: string,
  parameters: readonly unknown[] = [],
): Promise<Row | undefined> {
  return (await rows<Row>(em, statement, parameters))[0];
}
