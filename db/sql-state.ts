/** What PostgreSQL says of a failed statement: its SQLSTATE, and what may be done about it. */
import { types } from 'node:util';
import { SQL_STATE } from '../domain/standards/sql-states.ts';

const MOST_CAUSES = 5;

/**
 * Classes that a repeat may heal (PostgreSQL, appendix A): connection (08), a transaction that was ended (25), rollbacks such as
 * deadlock and serialization failure (40), resources (53), an object in use and lock time-outs (55), intervention of an operator
 * and statement time-outs (57), the system (58), faults of the server such as a cache that a migration has made stale (XX). And 42:
 * in the middle of an upgrade the schema may not be the one that this release expects.
 */
const MAY_HEAL = new Set(['08', '25', '40', '42', '53', '55', '57', '58', 'XX']);

/** The clocks of the database and of this process are too far apart (`clock_check` in db/functions/clock.sql). */
export const CLOCKS_APART = '57T01';
/** An account was last booked at a time that has not come yet (`booking_time`). */
export const BOOKED_AHEAD = '57T02';

/** Nobody who may has written it (`require_action` in db/functions/authority.sql). */
const NOT_ALLOWED = '28T01';

/** True if the database refused a write because whoever it was for may not make it. */
export function isNotAllowed(error: unknown): boolean {
  return sqlStateOf(error) === NOT_ALLOWED;
}

/** True if nothing was posted because a clock cannot be trusted: an alarm, which ends once the clock is right. */
export function isClockFault(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === CLOCKS_APART || state === BOOKED_AHEAD;
}

/** The SQLSTATE of an error, or of what caused it; undefined if PostgreSQL did not refuse a statement. */
export function sqlStateOf(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; depth < MOST_CAUSES && types.isNativeError(current); depth++) {
    if ('code' in current && typeof current.code === 'string' && SQL_STATE.test(current.code))
      return current.code;
    current = current.cause ?? ('previous' in current ? current.previous : undefined);
  }
  return undefined;
}

/** The constraint that a statement would have broken; undefined if that is not why it failed. */
export function constraintOf(error: unknown): string | undefined {
  return types.isNativeError(error) && 'constraint' in error && typeof error.constraint === 'string'
    ? error.constraint
    : undefined;
}

/** True if the same statement will fail again however often it is repeated: bad data, a broken constraint, a RAISE. */
export function isPermanentState(sqlState: string): boolean {
  return !MAY_HEAL.has(sqlState.slice(0, 2));
}
