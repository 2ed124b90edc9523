/** Holds that time ends. All else about a hold is decided by the functions of its source. */
import { bigCount, integer, moment, ownJson } from '../rows/columns.ts';
import { statement } from '../rows/statement.ts';

/** A hold that the books refuse to end, what PostgreSQL said, and how often it has. */
export interface RefusedExpiry {
  readonly hold: string;
  readonly account: string;
  readonly source_type: string;
  readonly source_id: string;
  readonly failure: string;
  readonly attempts: number;
}

/**
 * Releases the next holds whose time is over; tells how many, and which were refused. Those on accounts that somebody works on come with
 * the next round, those that were refused more and more rarely.
 */
export const endDueHolds = statement({
  name: 'endDueHolds',
  takes: { most: integer(), clock: moment() },
  gives: { ended: integer(), refused: ownJson<readonly RefusedExpiry[]>() },
  sql: 'select e.ended, e.refused from clock_check($clock), holds_end_due($most) e',
});

/** How many holds are kept beyond their time because the books refuse to end them. */
export const countRefusedExpiries = statement({
  name: 'countRefusedExpiries',
  gives: { count: bigCount() },
  sql: 'select count(*) as count from refused_expiries',
});
