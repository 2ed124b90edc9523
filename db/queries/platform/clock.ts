/** The clock of the database beside the one of this process. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { now } from '../../../domain/time/now.ts';
import { moment } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';

const bankNow = statement({ name: 'bankNow', gives: { now: moment() }, sql: 'select bank_now() as now' });

/** Returns the seconds by which the clock of the database is ahead of this process. Throws if the database is away. */
export async function clockDifference(db: EntityManager): Promise<number> {
  const asked = now().getTime();
  const there = await bankNow.one(db);
  const answered = now().getTime();
  // the database read its clock somewhere between the two
  return (there.now.getTime() - (asked + answered) / 2) / 1_000;
}
