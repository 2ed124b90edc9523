/**
 * Chance in tests: fast-check and dice, from one seed. A gate says something of a change only if it asks the same as the gate before, so
 * the seed is fixed. TEST_SEED=random asks something new and prints its seed, TEST_SEED=<number> asks it once more.
 */
import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { dice } from './dice.ts';

const FIXED = 20_261_127;
const MOST = 2 ** 31;
/** A seed has at most nine digits, so that each that was drawn can be asked for. */
const SEEDS = 1_000_000_000;

const asked = process.env['TEST_SEED'] ?? String(FIXED);
if (asked !== 'random' && !/^\d{1,9}$/.test(asked))
  throw new Error(`TEST_SEED is "${asked}"; it must be a number or "random"`);

export const SEED = asked === 'random' ? randomInt(SEEDS) : Number(asked);

// a failure prints the seed by itself
fc.configureGlobal({ seed: SEED });

export { fc };

/** Throws for a test: `below(6)` is from 0 to 5. A failure of `withDice` names the seed. */
export interface Dice {
  below(most: number): number;
  /** The same things in another order. */
  shuffled<T>(things: readonly T[]): T[];
}

/** Does what a test does by chance; if it fails, its error says with which seed that was. */
export async function withDice(act: (chance: Dice) => Promise<void>): Promise<void> {
  const below = dice(SEED);
  const shuffled = <T>(things: readonly T[]): T[] =>
    things
      .map((thing) => ({ thing, place: below(MOST) }))
      .toSorted((a, b) => a.place - b.place)
      .map(({ thing }) => thing);
  try {
    await act({ below, shuffled });
  } catch (error) {
    if (error instanceof Error) error.message = `with TEST_SEED=${String(SEED)}: ${error.message}`;
    throw error;
  }
}
