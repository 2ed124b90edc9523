/** Clocks that are wrong, or elsewhere in time: only for a database of a test's own. */
import { mock } from 'node:test';
import type { Books } from './books.ts';

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
  // the Date alone: waiting goes on as ever
  mock.timers.enable({ apis: ['Date'], now: Date.parse(moment) });
  try {
    return await work();
  } finally {
    mock.timers.reset();
    await putClockAhead(books, 0);
  }
}
