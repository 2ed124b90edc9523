/**
 * Batches without a timer: whatever is asked while one round trip is under way goes with the next. An idle system waits for
 * nothing; under load one transaction carries many callers, so that a hot account is locked once a batch and not once a caller.
 */
export interface Batcher<Item, Result> {
  /** Answers this item's own result; another item's refusal does not touch it. */
  submit(item: Item): Promise<Result>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * `carry` does one round trip for up to `most` items and answers their results in order, all in one transaction.
 * Where it throws, nothing of the batch was done: then each item is carried alone, so that one bad item fails alone.
 */
export function createBatcher<Item, Result>(
  most: number,
  carry: (items: readonly Item[]) => Promise<readonly Result[]>,
): Batcher<Item, Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let running = false;

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
      else for (const one of batch) await settle([one]);
    }
  }

  async function run(): Promise<void> {
    running = true;
    while (waiting.length > 0) await settle(waiting.splice(0, most));
    running = false;
  }

  return {
    submit: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        if (!running) void run();
      }),
  };
}
