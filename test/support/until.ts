/** Waiting for what does not announce itself. */
import { setTimeout as wait } from 'node:timers/promises';
import { inspect } from 'node:util';
import { PATIENCE_SECONDS, patienceFor } from './patience.ts';

/** What is there instead of what is waited for. */
type Seen = () => unknown;
type Limits = readonly [seconds?: number | undefined, pause?: number | undefined, seen?: Seen];

/**
 * Waits for what does not announce itself, looking every so many milliseconds. If it does not come about in time, it fails and prints
 * what `seen` returns.
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  ...more: readonly [seen: Seen] | Limits
): Promise<void> {
  const [least, pause = 50, seen] = isSeen(more) ? [undefined, undefined, more[0]] : more;
  const seconds = least === undefined ? PATIENCE_SECONDS : patienceFor(least);
  const end = performance.now() + seconds * 1_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`${givenUp(seconds)}${await shown(seen)}`);
    await wait(pause);
  }
}

const isSeen = (more: readonly [Seen] | Limits): more is readonly [Seen] => typeof more[0] === 'function';
const givenUp = (seconds: number): string => `it did not come about within ${String(seconds)} s`;

async function shown(seen: Seen | undefined): Promise<string> {
  if (seen === undefined) return '';
  try {
    return `; seen: ${inspect(await seen(), { depth: 6, breakLength: Infinity })}`;
  } catch (error) {
    return `; what is there cannot be seen: ${String(error)}`;
  }
}
