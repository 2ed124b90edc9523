/** Whether an exchange rate is so far from what counted before that a second person has to look at it. */
import { inverse, ratioOf, times, whole, type Ratio } from './ratio.ts';

/** A rate that was just added to a pair, and the highest rate of the opposite direction. Rates are decimal strings. */
export interface AddedRate {
  /** Null if none was added. */
  readonly added: { readonly rate: string; readonly validFrom: Date; readonly createdAt: Date } | null;
  /** Null if there is none. */
  readonly opposite: string | null;
}

const WHOLE_BPS = 10_000n;
/** A feed may be so much late. */
const LATE_MILLISECONDS = 5 * 60_000;

/**
 * True if the added rate lies outside the band round any of those that counted within the last day, so that nobody leaves the band in
 * small steps; if it is the first of its pair, or begins in the past; or if somebody who exchanges to and fro would gain.
 */
export function leavesBand(recent: readonly string[], after: AddedRate | null, bandBps: number): boolean {
  if (after?.added == null) return false;
  const { rate: text, validFrom, createdAt } = after.added;
  if (validFrom.getTime() < createdAt.getTime() - LATE_MILLISECONDS) return true;
  const rate = ratioOf(text);
  const opposite = after.opposite === null ? null : ratioOf(after.opposite);
  if (opposite !== null && isAbove(times(rate, opposite), whole(1n))) return true;
  const known = recent.map(ratioOf);
  // the first rate of a pair is measured by its opposite
  if (known.length === 0 && opposite !== null) known.push(inverse(opposite));
  return known.length === 0 || known.some((measure) => isOutside(rate, measure, BigInt(bandBps)));
}

function isOutside(rate: Ratio, measure: Ratio, bandBps: bigint): boolean {
  const within = (bps: bigint): Ratio => times(measure, { num: bps, den: WHOLE_BPS });
  return isAbove(rate, within(WHOLE_BPS + bandBps)) || isAbove(within(WHOLE_BPS - bandBps), rate);
}

function isAbove(one: Ratio, other: Ratio): boolean {
  return one.num * other.den > other.num * one.den;
}
