/** Races with a known order: each act waits for an account before the next one starts, so the first one comes first. */
import type { AccountId } from '../../../domain/ids.ts';
import { until } from '../stack/processes.ts';
import { rows } from '../stack/sql.ts';
import type { Books } from './books.ts';

/** Milliseconds between two looks: a statement of the books waits for a lock for half a second only. */
const PAUSE = 5;

/** Needs a bank of its own, in which nobody else waits for anything. Returns what each act has come to. */
export async function inTurn<T>(
  books: Books,
  account: AccountId,
  acts: readonly (() => Promise<T>)[],
): Promise<PromiseSettledResult<T>[]> {
  const started: Promise<PromiseSettledResult<T>[]>[] = [];
  let over = 0;
  const waiting = async (): Promise<number> => {
    const [found] = await books.asOwner(
      `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return Number(found?.['count']);
  };
  await books.ownerEm().transactional(async (tx) => {
    await rows(tx, 'select from accounts where id = $1 for update', [account]);
    for (const act of acts) {
      started.push(Promise.allSettled([act()]).finally(() => (over += 1)));
      await until(async () => (await waiting()) + over >= started.length, undefined, PAUSE, waiting);
    }
  });
  return (await Promise.all(started)).flat();
}
