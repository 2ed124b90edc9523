/** Random choices that come out the same for the same seed, so that two runs make the same people. */
import { createHash } from 'node:crypto';

export interface Dice {
  /** A whole number, both ends included. */
  whole(least: number, most: number): number;
  pick<T>(items: readonly T[]): T;
  /** True in this part of all cases, 0 to 1. */
  chance(part: number): boolean;
  /** An amount of money with two decimals. */
  amount(least: number, most: number): string;
}

/** Dice of their own for each name, so that one person's choices do not depend on how many others there are. */
export function diceOf(...name: readonly (string | number)[]): Dice {
  let state = createHash('sha256').update(name.join(' ')).digest().readUInt32LE();
  // mulberry32, public domain: 32 bits of state are plenty for names and amounts
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    whole,
    pick: (items) => {
      const item = items[whole(0, items.length - 1)];
      if (item === undefined) throw new Error('there is nothing to pick from');
      return item;
    },
    chance: (part) => next() < part,
    amount: (least, most) => (whole(least * 100, most * 100) / 100).toFixed(2),
  };
}
