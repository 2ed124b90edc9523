/** The clock of the database beside the one of this process. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { machineNow } from '../../../domain/time/now.ts';
import { integer, moment } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';

const databaseClock = statement({
  name: 'databaseClock',
  gives: { now: moment() },
  sql: 'select machine_now() as now',
});

/** Returns the seconds by which the clock of the database is ahead of this process. Throws if the database is away. */
export async function clockDifference(db: EntityManager): Promise<number> {
  const asked = machineNow().getTime();
  const there = await databaseClock.one(db);
  const answered = machineNow().getTime();
  // the database read its clock somewhere between the two
  return (there.now.getTime() - (asked + answered) / 2) / 1_000;
}

/** How many seconds business time is ahead of the machine's. */
export const clockAhead = statement({
  name: 'clockAhead',
  gives: { seconds: integer() },
  sql: 'select clock_ahead_seconds as seconds from bank_settings',
});

/** Moves the clock of the bank forward. Throws unless the database is one of development. */
export const advanceClock = statement({
  name: 'advanceClock',
  takes: { seconds: integer() },
  gives: { ahead: integer() },
  sql: 'select clock_advance($seconds) as ahead',
});
