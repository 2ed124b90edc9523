/** Statements of account: which days they cover, and how amounts are written in them. */

/** Whole days in the bank's time zone, both included; ISO dates. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/** The day in a time zone at a moment, as ISO date. */
export function dayAt(moment: Date, timeZone: string): string {
  // Sweden writes dates as ISO 8601 does
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(moment);
}

/** Without `to` until today, without `from` from the first of the month of `to`. Answers the field at fault where it is no period. */
export function readPeriod(
  wanted: { readonly from?: string | undefined; readonly to?: string | undefined },
  today: string,
): Period | { readonly fault: 'from' | 'to'; readonly detail: string } {
  const to = wanted.to ?? today;
  const from = wanted.from ?? `${to.slice(0, 7)}-01`;
  if (to > today) return { fault: 'to', detail: 'must not be after today: a day to come has no balance yet' };
  if (from > to) return { fault: 'from', detail: 'must not be after `to`' };
  return { from, to };
}

/** Minor units with the point where the asset has it: -1234n of scale 2 is "-12.34". */
export function decimalOf(minor: bigint, scale: number): string {
  if (scale === 0) return minor.toString();
  const negative = minor < 0n;
  const digits = (negative ? -minor : minor).toString().padStart(scale + 1, '0');
  return `${negative ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
