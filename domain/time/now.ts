/** The two clocks. All that happens in the business is dated by `now`; logins, codes and signatures by `machineNow`. */

/** How far business time is ahead of this machine's: 0 unless a developer has moved it. */
let aheadMilliseconds = 0;

/** Returns the business time of this process, which SQL reads from `bank_now()`. */
export function now(): Date {
  return new Date(machineNow().getTime() + aheadMilliseconds);
}

/** Returns the time of this machine, which SQL reads from `machine_now()`. */
export function machineNow(): Date {
  return new Date();
}

/**
 * From now on the business time of this process is at least so many seconds ahead of the machine's, as that of the database is. It never
 * goes back: what was read before a move may be said after it.
 */
export function setClockAhead(seconds: number): void {
  aheadMilliseconds = Math.max(aheadMilliseconds, seconds * 1_000);
}
