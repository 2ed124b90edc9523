/** What a failed test tells: the seed of its chance, and what was there instead of what it waited for. */
import { expect, test } from '@jest/globals';
import { SEED, withDice } from '../../support/property.ts';

test('the same seed throws the same dice, and a shuffle keeps everything', async () => {
  const thrown: number[][] = [];
  for (let twice = 0; twice < 2; twice++)
    await withDice(async ({ below, shuffled }) => {
      thrown.push([below(1_000), below(1_000), ...shuffled([1, 2, 3, 4, 5, 6])]);
    });
  expect(thrown[0]).toEqual(thrown[1]);
  expect(thrown[0]?.slice(2).toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
});

test('a failure of what is done by chance names the seed', async () => {
  const failing = withDice(() => Promise.reject(new Error('two of them')));
  await expect(failing).rejects.toThrow(`with TEST_SEED=${String(SEED)}: two of them`);
});
