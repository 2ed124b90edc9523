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

/**
 * Tries work out inside the caller's transaction, in a savepoint. What it did stays if `keeps` says so; otherwise, and if it throws, it is
 * undone and the transaction goes on.
 */
export async function tryOut<Result>(
  db: EntityManager,
  work: (trial: EntityManager) => Promise<Result>,
  keeps: (result: Result) => boolean,
): Promise<Result> {
  if (!db.isInTransaction()) throw new Error('only part of a transaction can be tried out');
  let undone: { readonly result: Result } | undefined;
  try {
    return await db.transactional(
      async (trial) => {
        const result = await work(trial);
        await trial.flush();
        if (keeps(result)) return result;
        undone = { result };
        throw new Undone();
      },
      // entities of a trial that is undone must not be found by what comes after it
      { clear: true },
    );
  } catch (error) {
    if (error instanceof Undone && undone !== undefined) return undone.result;
    throw error;
  }
}

class Undone extends Error {
  override readonly name = 'Undone';
}
