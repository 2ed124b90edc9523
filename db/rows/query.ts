/** Kysely over the tables of db/schema: typed by the entities, converted by them, in the caller's transaction if there is one. */
import type { EntityManager, InferKyselyDB } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import type { entities } from '../schema/entities.ts';

const AS_DECLARED = { columnNamingStrategy: 'property', convertValues: true } as const;

/** Tables by their names in SQL, columns by their names in TypeScript. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- as an interface it has a name in error messages
export interface Tables extends InferKyselyDB<(typeof entities)[number], typeof AS_DECLARED> {}

/**
 * Starts a query. Select columns by their names and never under an alias: MikroORM converts a value by the name of its column, so an
 * amount under another name would be text, whatever its type says. Write a `statement` for sums, expressions and aliases.
 */
export function query(db: EntityManager): Kysely<Tables> {
  return db.getKysely<Tables>(AS_DECLARED);
}
