/**
 * Batches without a timer: whatever is asked while the round trips under way are full goes with the next. An idle system waits for
 * nothing; under load one transaction carries many callers, so that a hot account is locked once a batch and not once a caller.
 */
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
  /** Whether a failure says that something was held by somebody else. */
  isBlocked(error: unknown): boolean;
  /** Does one round trip and answers the items' results in their order, all in one transaction. Where it throws, nothing was done. */
  carry(items: readonly Item[]): Promise<readonly Result[]>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly needs: readonly string[];
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A batch that fails is carried again so that what is bad or blocked fails alone: item by item and all at once if something was held
 * by somebody else, otherwise in halves, one after the other, because its items may need the same accounts.
 */
export function createBatcher<Item, Result>({
  most,
  atOnce,
  needs,
  isBlocked,
  carry,
}: Batching<Item, Result>): Batcher<Item, Result> {
  let waiting: Waiting<Item, Result>[] = [];
  const taken = new Set<string>();
  let underWay = 0;

  async function settle(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await carry(batch.map(({ item }) => item));
      batch.forEach(({ resolve, reject }, index) => {
        const result = results[index];
        if (result === undefined) reject(new Error('the batch answered fewer results than it was asked for'));
        else resolve(result);
      });
    } catch (error) {
      const [only] = batch;
      if (batch.length === 1 && only !== undefined) only.reject(error);
      else if (isBlocked(error)) await Promise.all(batch.map((one) => settle([one])));
      else {
        const half = batch.length >> 1;
        await settle(batch.slice(0, half));
        await settle(batch.slice(half));
      }
    }
  }

  /** The oldest items that need nothing of what is under way. */
  function next(): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    for (const one of waiting)
      (batch.length < most && !one.needs.some((need) => taken.has(need)) ? batch : left).push(one);
    waiting = left;
    return batch;
  }

  function start(): void {
    while (underWay < atOnce && waiting.length > 0) {
      const batch = next();
      if (batch.length === 0) return;
      const needed = batch.flatMap((one) => one.needs);
      for (const need of needed) taken.add(need);
      underWay += 1;
      void settle(batch).then(() => {
        for (const need of needed) taken.delete(need);
        underWay -= 1;
        start();
      });
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
