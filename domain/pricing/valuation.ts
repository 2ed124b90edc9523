/**
 * What money is worth in another currency, to show, not to book: at the mid rate, rounded half-even. A rate that would be too old to
 * convert by still values, and says so.
 */
import type { CurrencyCode } from '../assets.ts';
import { minorPerWhole, roadBetween, type StoredRate } from '../exchange.ts';
import type { Money } from '../money.ts';
import { halfEven, times, toDecimal, whole, type Ratio } from './ratio.ts';

/** The worth of an amount, and by which rate. */
export interface Worth {
  readonly value: Money;
  /** Units of the currency for one unit of what is valued. */
  readonly rate: string;
  /** Since when the oldest rate in it is valid; null for the currency itself. */
  readonly rateAt: Date | null;
  /** Too old to convert by. */
  readonly stale: boolean;
}

/** Values money by the rates given; null where there is none. `bank` is the currency over which rates are crossed. */
export function worthOf(
  money: Money,
  currency: CurrencyCode,
  rates: readonly StoredRate[],
  bank: CurrencyCode,
): Worth | null {
  if (money.asset === currency) return { value: money, rate: '1', rateAt: null, stale: false };
  const road = roadBetween(
    rates.map((rate) => ({ ...rate, stale: false })),
    money.asset,
    currency,
    bank,
  );
  if (road === null) return null;
  const minor = rounded(times(road.mid, minorPerWhole(money.asset, currency)), money.minor);
  return {
    value: { minor, asset: currency },
    rate: toDecimal(road.mid),
    rateAt: road.asOf,
    stale: rates.some(({ id, stale }) => stale && road.rateIds.includes(id)),
  };
}

function rounded(perMinor: Ratio, minor: bigint): bigint {
  const size = halfEven(times(perMinor, whole(minor < 0n ? -minor : minor)));
  return minor < 0n ? -size : size;
}
