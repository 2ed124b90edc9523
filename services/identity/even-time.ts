/** Answers that take the same time whatever there was to do, so that the time does not tell who is registered. */
import { setTimeout as sleep } from 'node:timers/promises';

/** More than the work of any of them takes on a machine that keeps up. */
const ANSWER_MILLISECONDS = 100;

/** Begin it before the work and await it before the answer. */
export function evenTime(): Promise<void> {
  return sleep(ANSWER_MILLISECONDS);
}
