/**
 * Conversions between currencies. Rates are exact fractions until the one rounding at the end: what is credited goes down,
 * what is debited goes up. Which rate counts where several could: docs/decisions/0041.
 */
import { scaleOf, type AssetCode } from './assets.ts';
import { MAX_MINOR, type Money } from './money.ts';
import type { Exchange } from './pricing/pricing.ts';
import { ceil, floor, inverse, plus, ratioOf, times, toDecimal, whole, type Ratio } from './pricing/ratio.ts';

/** The newest rate of one direction: one unit of `base` is `rate` units of `quote`. */
export interface StoredRate {
  readonly id: string;
  readonly base: string;
  readonly quote: string;
  readonly rate: string;
  /** The bank's share of a conversion at this rate, in basis points. */
  readonly spreadBps: string;
  readonly validFrom: Date;
  readonly stale: boolean;
}

/** Significant digits of a rate that somebody sets. */
export const RATE_DIGITS = 18;

/** How many digits of a decimal string say something: neither zeros before the first nor after the last. */
export function significantDigits(decimal: string): number {
  const digits = decimal.includes('.')
    ? decimal.replace(/0+$/, '').replace('.', '')
    : decimal.replace(/0+$/, '');
  return digits.replace(/^0+/, '').length;
}

/** What the newest rate of a direction may be. */
export const fxRateStatuses = ['planned', 'current', 'stale', 'superseded'] as const;
export type FxRateStatus = (typeof fxRateStatuses)[number];

/** A rate for a conversion, out of one stored rate or two. */
export interface Road {
  /** Target per source, in whole units, exactly. */
  readonly mid: Ratio;
  readonly spreadBps: Ratio;
  readonly rateIds: readonly string[];
  /** Since when the oldest rate in it is valid. */
  readonly asOf: Date;
}

/** One side of a conversion is fixed, in minor units of that side. */
export interface Fixed {
  readonly side: 'source' | 'target';
  readonly minor: bigint;
}

export interface Conversion {
  readonly source: Money;
  readonly target: Money;
  readonly exchange: Exchange;
}

/**
 * The road from one currency to another: the pair's own rate; where there is none, the inverse of the other direction's; where there
 * is neither, the two legs over the bank's base currency. Null where there is no road, or a rate on it is stale: a pair
 * whose own rate is stale is not priced by a detour.
 */
export function roadBetween(
  rates: readonly StoredRate[],
  source: string,
  target: string,
  base: string,
): Road | null {
  const own = leg(rates, source, target);
  if (own !== undefined) return own;
  const [first, second] = [leg(rates, source, base), leg(rates, base, target)];
  if (first == null || second == null) return null;
  return {
    mid: times(first.mid, second.mid),
    spreadBps: plus(first.spreadBps, second.spreadBps),
    rateIds: [...first.rateIds, ...second.rateIds],
    asOf: first.asOf < second.asOf ? first.asOf : second.asOf,
  };
}

/** Undefined where neither direction was ever quoted, null where the one that counts is stale. */
function leg(rates: readonly StoredRate[], source: string, target: string): Road | null | undefined {
  const direct = rates.find(({ base, quote }) => base === source && quote === target);
  const other = rates.find(({ base, quote }) => base === target && quote === source);
  const found = direct ?? other;
  if (found === undefined) return undefined;
  if (found.stale) return null;
  const mid = ratioOf(found.rate);
  return {
    mid: found === direct ? mid : inverse(mid),
    spreadBps: ratioOf(found.spreadBps),
    rateIds: [found.id],
    asOf: found.validFrom,
  };
}

/**
 * Converts. Fixed source: the target is rounded down. Fixed target: the source is the smallest amount that is worth it, rounded up.
 * The spread is what the target at the mid rate, rounded down, is more than the target. Null where a side would be
 * less than one minor unit, or more than the books hold.
 */
export function convert(
  road: Road,
  sourceAsset: AssetCode,
  targetAsset: AssetCode,
  fixed: Fixed,
): Conversion | null {
  const customer = times(road.mid, kept(road.spreadBps));
  const minorPerMinor = times(customer, minorPerWhole(sourceAsset, targetAsset));
  // the spreads of two legs may come to everything
  if (minorPerMinor.num <= 0n) return null;
  const source =
    fixed.side === 'source' ? fixed.minor : ceil(times(whole(fixed.minor), inverse(minorPerMinor)));
  const target = fixed.side === 'target' ? fixed.minor : floor(times(whole(source), minorPerMinor));
  const mid = floor(times(whole(source), times(road.mid, minorPerWhole(sourceAsset, targetAsset))));
  if (source <= 0n || target <= 0n || source > MAX_MINOR || mid > MAX_MINOR) return null;
  const inTarget = (minor: bigint): Money => ({ minor, asset: targetAsset });
  return {
    source: { minor: source, asset: sourceAsset },
    target: inTarget(target),
    exchange: {
      rate: toDecimal(customer),
      midRate: toDecimal(road.mid),
      spreadBps: Number(toDecimal(road.spreadBps)),
      mid: inTarget(mid),
      spread: inTarget(mid - target),
      rateIds: road.rateIds,
      asOf: road.asOf.toISOString(),
    },
  };
}

/** What is left of a rate after the spread. */
function kept({ num, den }: Ratio): Ratio {
  return { num: 10_000n * den - num, den: 10_000n * den };
}

/** Target per source in minor units for one in whole units: 1 EUR is 100 minor units, 1 JPY is one. Throws UnknownAsset. */
export function minorPerWhole(source: AssetCode, target: AssetCode): Ratio {
  return { num: 10n ** BigInt(scaleOf(target)), den: 10n ** BigInt(scaleOf(source)) };
}
