/** Transactions. The frame opens one round a handler and an activity one for its effect; whoever else does says so in its declaration. */
import type { EntityManager, TransactionOptions } from '@mikro-orm/postgresql';

/**
 * Runs work in a transaction of its own. Throws inside another one: it would be a savepoint, which looks committed and is not, and
 * what it was to outlive would undo it.
 */
export function transaction<Result>(
  db: EntityManager,
  work: (tx: EntityManager) => Promise<Result>,
  options: TransactionOptions = {},
): Promise<Result> {
  if (db.isInTransaction()) throw new Error('a transaction was opened inside another one');
  return db.transactional(work, options);
}

/** Runs work in the caller's transaction, or in one of its own if there is none. */
export function inTransaction<Result>(
  db: EntityManager,
  work: (tx: EntityManager) => Promise<Result>,
): Promise<Result> {
  return db.isInTransaction() ? work(db) : db.transactional(work);
}
