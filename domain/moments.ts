/** Years that a moment in a request may lie in: beyond them RFC 3339 has no form, and nobody means them. */
const FIRST_YEAR = 2000;
const LAST_YEAR = 2999;

/** Whether a date from a request is one that somebody can mean. */
export function isPlausible(moment: Date): boolean {
  const year = moment.getUTCFullYear();
  return year >= FIRST_YEAR && year <= LAST_YEAR;
}
