/** Doing the same for many at once, but not for all at once. */

/** Works on `size` items at a time and answers in the items' order. After a failure nothing new begins. */
export async function inPool<Item, Result>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const waiting = items.entries();
  const results: Result[] = [];
  let failed = false;
  const worker = async (): Promise<void> => {
    for (const [index, item] of waiting) {
      if (failed) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: size }, worker));
  return results;
}
