/** Waiting for a point of business time. Timers run by the machine's clock, so a wait also ends when the bank's clock was moved. */
import { condition, setHandler } from '@temporalio/workflow';
import { takesAlways } from '../seals.ts';
import { clockMoved } from './contract.ts';

export interface BusinessClock {
  /**
   * Waits until something holds, so many seconds are over, or the clock was moved since the last wait, and returns whether it holds.
   * Whoever waits then asks the database, which reads the bank's clock, how long is left.
   */
  wait(holds: () => boolean, seconds: number, options?: { readonly summary: string }): Promise<boolean>;
}

/** Listens for moves of the clock from now on. */
export function businessClock(): BusinessClock {
  let moved = false;
  setHandler(
    clockMoved,
    () => {
      moved = true;
    },
    { description: 'The clock of the bank was moved: look at the row again', validator: takesAlways },
  );
  return {
    async wait(holds, seconds, options) {
      const woken = (): boolean => holds() || moved;
      const milliseconds = seconds * 1_000;
      const inTime = await (options === undefined
        ? condition(woken, milliseconds)
        : condition(woken, milliseconds, options));
      moved = false;
      return inTime && holds();
    },
  };
}
