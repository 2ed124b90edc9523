/**
 * Batches without a timer: whatever is asked while the round trips under way are full goes with the next. An idle system waits for
 * nothing; under load one transaction carries many callers, so that a hot account is locked once a batch and not once a caller.
 */
import { setTimeout as wait } from 'node:timers/promises';
export interface Batcher<Item, Result> {
  /** Answers this item's own result; another item's refusal does not touch it. */
  submit(item: Item): Promise<Result>;
}

export interface Batching<Item, Result> {
  /** Items that one round trip carries. */
  readonly most: number;
  /** Round trips under way at the same time. */
  readonly atOnce: number;
  /**
   * What an item needs for itself alone, such as the accounts that it locks. An item that shares something with a round trip under way
   * waits here for its end rather than in the database, where it would keep others of its batch waiting.
   */
  needs(item: Item): readonly string[];
  /**
   * How to go on after a failure: `alone` if something was held by somebody else, `halves` if an item may be bad. `none` rejects the
   * whole batch: what no item has caused, such as a database that is away, would fail as often as there are items.
   */
  retry(error: unknown): 'alone' | 'halves' | 'none';
  readonly watch?: BatchWatch;
  /** Does one round trip and answers the items' results in their order, all in one transaction. Where it throws, nothing was done. */
  carry(items: readonly Item[]): Promise<readonly Result[]>;
}

/** Told of each round trip, for metrics. */
export interface BatchWatch {
  carried(items: number): void;
  /** It was rolled back: a lock was not granted, an item may be bad, or the database is away. */
  failed(because: 'lock' | 'order' | 'away'): void;
}

const BECAUSE = { alone: 'lock', halves: 'order', none: 'away' } as const;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly needs: readonly string[];
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Items that are carried alone at the same time: each holds a connection until its lock is granted or given up. */
const UNLOCKED_MILLISECONDS = 5;
const ALONE_AT_ONCE = 4;

/** A batch that fails is carried again so that what is bad or blocked fails alone. */
export function createBatcher<Item, Result>(batching: Batching<Item, Result>): Batcher<Item, Result> {
  const { most, atOnce, needs } = batching;
  let waiting: Waiting<Item, Result>[] = [];
  const taken = new Set<string>();
  let underWay = 0;
  // what somebody else held when an item was last carried that needs it: such an item would keep a whole batch waiting
  const held = new Set<string>();
  let alone = 0;
  const isHeld = ({ needs: wanted }: Waiting<Item, Result>): boolean => wanted.some((need) => held.has(need));
  const by: Settling<Item, Result> = {
    ...batching,
    settled(one, wasHeld) {
      for (const need of one.needs) held[wasHeld ? 'add' : 'delete'](need);
    },
  };

  /** The oldest items that need nothing of what is under way. Nobody overtakes an older item that needs the same. */
  function next(count: number, fits: (one: Waiting<Item, Result>) => boolean): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    const reserved = new Set(taken);
    for (const one of waiting) {
      if (batch.length < count && fits(one) && !one.needs.some((need) => reserved.has(need))) {
        batch.push(one);
        continue;
      }
      left.push(one);
      for (const need of one.needs) reserved.add(need);
    }
    waiting = left;
    return batch;
  }

  function carry(batch: readonly Waiting<Item, Result>[], over: () => void): void {
    const needed = batch.flatMap((one) => one.needs);
    for (const need of needed) taken.add(need);
    void settle(by, batch).then(() => {
      for (const need of needed) taken.delete(need);
      over();
      start();
    });
  }

  function start(): void {
    while (alone < ALONE_AT_ONCE) {
      const batch = next(1, isHeld);
      if (batch.length === 0) break;
      alone += 1;
      carry(batch, () => (alone -= 1));
    }
    while (underWay < atOnce && waiting.length > 0) {
      const batch = next(most, (one) => !isHeld(one));
      if (batch.length === 0) return;
      underWay += 1;
      carry(batch, () => (underWay -= 1));
    }
  }

  return {
    submit: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, needs: needs(item), resolve, reject });
        start();
      }),
  };
}

type Settling<Item, Result> = Pick<Batching<Item, Result>, 'carry' | 'retry' | 'watch'> & {
  /** Told of each item that was carried alone, or in a batch that succeeded: whether somebody else held what it needs. */
  settled(one: Waiting<Item, Result>, wasHeld: boolean): void;
};

/** Carries a batch until each of its items has its result or its error. Never throws. */
async function settle<Item, Result>(
  by: Settling<Item, Result>,
  batch: readonly Waiting<Item, Result>[],
): Promise<void> {
  try {
    const results = await by.carry(batch.map(({ item }) => item));
    by.watch?.carried(batch.length);
    batch.forEach((one, index) => {
      const { resolve, reject } = one;
      by.settled(one, false);
      const result = results[index];
      if (result === undefined) reject(new Error('the batch answered fewer results than it was asked for'));
      else resolve(result);
    });
  } catch (error) {
    await settleAgain(by, batch, error);
  }
}

async function settleAgain<Item, Result>(
  by: Settling<Item, Result>,
  batch: readonly Waiting<Item, Result>[],
  error: unknown,
): Promise<void> {
  by.watch?.failed(BECAUSE[by.retry(error)]);
  const [only, ...others] = batch;
  if (only !== undefined && others.length === 0) by.settled(only, by.retry(error) === 'alone');
  const way = others.length === 0 ? 'none' : by.retry(error);
  // PostgreSQL reports an error a moment before it lets the locks go that were tried for keys
  if (way !== 'none') await wait(UNLOCKED_MILLISECONDS);
  switch (way) {
    case 'none':
      for (const one of batch) one.reject(error);
      return;
    case 'alone': {
      const left = batch.values();
      const inTurn = async (): Promise<void> => {
        for (const one of left) await settle(by, [one]);
      };
      await Promise.all(Array.from({ length: ALONE_AT_ONCE }, inTurn));
      return;
    }
    case 'halves': {
      // one after the other, because they may need the same accounts
      const half = batch.length >> 1;
      await settle(by, batch.slice(0, half));
      await settle(by, batch.slice(half));
    }
  }
}
