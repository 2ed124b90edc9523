/** What a worker asks of Temporal for the timetable: a schedule for each line, that runs unless the bank is one of tests. */
import { expect, test } from '@jest/globals';
import type { ScheduleOptions } from '@temporalio/client';
import { pino } from 'pino';
import type { Temporal } from '../../../adapters/temporal.ts';
import { keepSchedules } from '../../../workers/schedules.ts';
import { timetable } from '../../../workers/timetable.ts';

/** What is asked for, by a worker whose schedules are paused or not. */
async function askedFor(arePaused: boolean): Promise<ScheduleOptions[]> {
  const asked: ScheduleOptions[] = [];
  const create = (options: ScheduleOptions) => Promise.resolve(void asked.push(options));
  const temporal = {
    client: { schedule: { create } },
    within: (_milliseconds: number, call: () => Promise<unknown>) => call(),
  } as unknown as Temporal;
  const log = pino({ level: 'silent' });
  await keepSchedules(timetable, { temporal, taskQueue: 'money', arePaused, log }).stop();
  return asked;
}

test.each([true, false])('every schedule of the timetable is made, and is paused: %p', async (paused) => {
  const asked = await askedFor(paused);
  expect(asked.map(({ scheduleId, state }) => ({ scheduleId, paused: state?.paused }))).toEqual(
    timetable.map(({ id }) => ({ scheduleId: id, paused })),
  );
});
