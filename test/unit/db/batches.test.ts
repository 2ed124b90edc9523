/** Batches: one item that somebody else blocks keeps a batch waiting once, and no batch after it. */
import { expect, test } from '@jest/globals';
import { createBatcher } from '../../../db/ledger/batches.ts';

class Held extends Error {}

/** Carries items at once, but for what is held: that fails whatever is carried with it. */
function batcherWith(held: Set<string>) {
  const carried: string[][] = [];
  const batcher = createBatcher<string, string>({
    most: 32,
    atOnce: 2,
    needs: (item) => [item],
    retry: (error) => (error instanceof Held ? 'alone' : 'none'),
    async carry(items) {
      carried.push([...items]);
      await Promise.resolve();
      if (items.some((item) => held.has(item))) throw new Held();
      return items.map((item) => `${item} is done`);
    },
  });
  return { batcher, carried };
}

test('an item that was held goes alone until it comes through, so that it keeps no other waiting again', async () => {
  const held = new Set(['held']);
  const { batcher, carried } = batcherWith(held);
  const ask = (...items: string[]) => Promise.allSettled(items.map((item) => batcher.submit(item)));

  const first = await ask('a', 'b', 'held', 'c');
  expect(first.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(carried.some((items) => items.includes('held') && items.length > 1)).toBe(true);

  carried.length = 0;
  for (let round = 0; round < 3; round++) {
    const again = await ask('d', 'held', 'e', 'f');
    expect(again.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  }
  expect(carried.filter((items) => items.includes('held'))).toEqual([['held'], ['held'], ['held']]);

  held.clear();
  await ask('held');
  carried.length = 0;
  await ask('x', 'g', 'held', 'h');
  expect(carried.some((items) => items.includes('held') && items.length > 1)).toBe(true);
});
