/** Returns the business time of this process. What it books, the database compares with its own (`bank_now()`). */
export function now(): Date {
  return new Date();
}
