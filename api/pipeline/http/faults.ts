/** Reads what PostgreSQL and the network throw, wherever in a chain of causes it stands. */
import { types } from 'node:util';

/**
 * SQLSTATE of class 08 (connection), 53 (resources), 57 (operator: shutdown, cancel by statement time-out; 57T: a clock that cannot be
 * trusted), 55P03 (lock time-out).
 */
const AWAY = /^(08...|53...|57P0[1-5]|57T0[12]|57014|55P03|25P03)$/;
const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'EAI_AGAIN',
]);
/** `pg` gives these faults no code. */
const AWAY_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Cannot use a pool after calling end)/i;
const MAX_CAUSES = 5;

/** True where the database or the way to it does not answer: a repeat may succeed. */
export function isAway(error: unknown): boolean {
  return chain(error).some(
    ({ code, message }) => AWAY.test(code) || NETWORK.has(code) || AWAY_MESSAGE.test(message),
  );
}

/** SQLSTATE of class 08 and of a server that was shut down, and what Node and `pg` say of a connection that broke. */
const BROKEN = /^(08...|57P0[12]|ECONNRESET|EPIPE|ETIMEDOUT)$/;
const BROKEN_MESSAGE = /^(Connection terminated|Client has encountered a connection error)/i;

/** True where a connection broke that there was: what was under way may have been committed all the same. */
export function isUndecided(error: unknown): boolean {
  return chain(error).some(({ code, message }) => BROKEN.test(code) || BROKEN_MESSAGE.test(message));
}

/** True where PostgreSQL gave up one of several transactions that stood in each other's way: serialization failure, deadlock. */
export function isRetryable(error: unknown): boolean {
  return chain(error).some(({ code }) => code === '40001' || code === '40P01');
}

/** True where a lock was not granted before the statement's time was over. */
export function isLockTimeout(error: unknown): boolean {
  return chain(error).some(({ code }) => code === '57014' || code === '55P03');
}

function chain(error: unknown): { code: string; message: string }[] {
  const found: { code: string; message: string }[] = [];
  let current = error;
  // not `instanceof`: an error of Node’s own may come from another realm
  while (types.isNativeError(current) && found.length < MAX_CAUSES) {
    found.push({
      code: 'code' in current && typeof current.code === 'string' ? current.code : '',
      message: current.message,
    });
    // a refused connection to several addresses of one name
    const inner: unknown =
      'errors' in current && Array.isArray(current.errors) ? current.errors[0] : undefined;
    current = inner ?? current.cause ?? ('previous' in current ? current.previous : undefined);
  }
  return found;
}
