/** Dates of a machine-readable zone: six digits, of which the year has two. */

/** Years that an expiry may lie in the past. Documents run for ten years as a rule, some for decades. */
const EXPIRED_YEARS = 30;
const CENTURY = 100;

/** Fillers stand for a day, or a day and a month, that nobody knows (ICAO 9303 part 3 section 4.8). */
const DATE = /^(\d\d)(?:(\d\d)(\d\d|<<)|<<<<)$/;

/** The dates that the text may mean, each as far as it is known: "1974-08-12", "1974-08" or "1974". */
export type PossibleDates = readonly string[];

/** Nobody is born in the future, so this century if that has been, and the one before; the later first. */
export function birthDates(text: string, today: Date): PossibleDates {
  const last = today.toISOString();
  const century = Math.trunc(today.getUTCFullYear() / CENTURY) * CENTURY;
  return [century, century - CENTURY]
    .map((start) => dateOf(text, start))
    .filter((date) => date !== null)
    .filter((date) => date <= last.slice(0, date.length));
}

/** From thirty years ago on: an expired document is shown as it is, and a new one may be good for a long time. */
export function expiryDates(text: string, today: Date): PossibleDates {
  const date = dateOf(text, today.getUTCFullYear() - EXPIRED_YEARS);
  return date === null ? [] : [date];
}

/** The date in the hundred years from `firstYear` on; null if there is no such day. */
function dateOf(text: string, firstYear: number): string | null {
  const [, digits, month, day] = DATE.exec(text) ?? [];
  if (digits === undefined) return null;
  const year = firstYear + ((((Number(digits) - firstYear) % CENTURY) + CENTURY) % CENTURY);
  if (month === undefined) return String(year);
  const known = day === undefined || day === '<<' ? [year, month] : [year, month, day];
  const date = known.join('-');
  return isDate(`${date}-01`.slice(0, 'yyyy-mm-dd'.length)) ? date : null;
}

/** JavaScript makes 2 March of 30 February. */
function isDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** A date of the form (yyyy-mm-dd) agrees with what is known of the other one. */
export function isSameDate(known: string, date: string): boolean {
  return date === known || (known.length < date.length && date.startsWith(`${known}-`));
}
