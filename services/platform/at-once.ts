/** Doing the same for many things, a few of them at once. */
import { within } from '../../adapters/in-time.ts';

const AT_ONCE = 8;

/** In their order. Answers how many were done; throws the first error once all that were begun have ended, and begins no more. */
export async function someAtOnce<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<boolean>,
  atOnce = AT_ONCE,
): Promise<number> {
  const left = items.values();
  let [done, isAway] = [0, false];
  const inTurn = async (): Promise<void> => {
    try {
      for (const item of left) if (!isAway && (await act(item))) done += 1;
    } catch (error) {
      isAway = true;
      throw error;
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, inTurn));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return done;
}

/**
 * Does what can be done within a time that a caller can wait. What has begun by then goes on by itself; what has not is left to
 * whoever looks after it, as is what has failed. Never throws.
 */
export async function asManyWithin<Item>(
  milliseconds: number,
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
): Promise<void> {
  const end = performance.now() + milliseconds;
  const left = items.values();
  const inTurn = async (): Promise<void> => {
    for (const item of left) {
      if (performance.now() > end) return;
      await act(item).catch(() => undefined);
    }
  };
  await within(milliseconds, Promise.all(Array.from({ length: AT_ONCE }, inTurn)), () => undefined);
}
