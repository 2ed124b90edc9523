/** Years that a moment in a request may lie in: beyond them RFC 3339 has no form, and nobody means them. */
const FIRST_YEAR = 2000;
const LAST_YEAR = 2999;

/** Whether an ISO date is today or up to a year back. */
export function isWithinYearBefore(day: string, today: string): boolean {
  const yearAgo = `${Number(today.slice(0, 4)) - 1}${today.slice(4)}`;
  return day >= yearAgo && day <= today;
}

/** Whether a date from a request is one that somebody can mean. */
export function isPlausible(moment: Date): boolean {
  const year = moment.getUTCFullYear();
  return year >= FIRST_YEAR && year <= LAST_YEAR;
}

/** Tells a name of the time zone database. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
