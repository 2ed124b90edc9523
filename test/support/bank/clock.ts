/** Clocks that are wrong, or elsewhere in time: only for a database of a test's own. */
import { jest } from '@jest/globals';
import type { Books } from './books.ts';

/** Everything but the Date: waiting goes on as ever. */
const REAL_TIMERS = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;

/** From now on the clock of the database is so many seconds ahead of the right time; 0 puts it right. */
export async function putClockAhead(books: Pick<Books, 'asOwner'>, seconds: number): Promise<void> {
  await putAhead(books, ['machine_now', 'bank_now'], seconds);
}

/** From now on business time is so many seconds ahead of the machine's, as in a bank of development; 0 puts it right. */
export async function moveBusinessClock(books: Pick<Books, 'asOwner'>, seconds: number): Promise<void> {
  await putAhead(books, ['bank_now'], seconds);
}

async function putAhead(
  books: Pick<Books, 'asOwner'>,
  clocks: readonly string[],
  seconds: number,
): Promise<void> {
  for (const clock of clocks)
    await books.asOwner(
      `create or replace function ${clock}() returns timestamptz language sql volatile as $$
         select date_trunc('milliseconds', clock_timestamp()) + interval '${seconds} seconds' $$`,
    );
}

/** Runs work as if it were this moment, for the database and for this process. Give later moments later: nothing is booked backwards. */
export async function atMoment<Result>(
  books: Pick<Books, 'asOwner'>,
  moment: string,
  work: () => Promise<Result>,
): Promise<Result> {
  await putClockAhead(books, (Date.parse(moment) - Date.now()) / 1_000);
  jest.useFakeTimers({ now: Date.parse(moment), doNotFake: [...REAL_TIMERS] });
  try {
    return await work();
  } finally {
    jest.useRealTimers();
    await putClockAhead(books, 0);
  }
}
