/** What a transfer moves and costs, to the last minor unit: the numbers that a quote freezes and the books repeat. */
import { z } from 'zod';
import { FeeRuleId } from '../ids.ts';
import type { Money } from '../money.ts';

/** One fee, in minor units of the source asset, with the rule's version that made it. */
export interface FeeLine {
  readonly ruleId: FeeRuleId;
  readonly version: number;
  readonly code: string;
  readonly description: string;
  readonly minor: bigint;
}

/** A conversion. Rates are decimal strings: target per source. */
export interface Exchange {
  /** What the customer gets. */
  readonly rate: string;
  /** What the market gives. */
  readonly midRate: string;
  readonly spreadBps: number;
  /** The target amount at the mid rate. */
  readonly mid: Money;
  /** The bank's share: `mid - target`. */
  readonly spread: Money;
  readonly rateIds: readonly string[];
  /** RFC 3339: since when the oldest rate in it has been valid. */
  readonly asOf: string;
}

export interface Price {
  /** The principal: what leaves the source account before fees. */
  readonly source: Money;
  /** What the destination gets. */
  readonly target: Money;
  readonly fees: readonly FeeLine[];
  readonly exchange: Exchange | null;
  /** Principal and fees. */
  readonly totalDebit: Money;
}

const Digits = z.string().regex(/^\d+$/);

/** A price as quotes, transfers and processes carry it: minor units as decimal strings. */
export const StoredPrice = z.strictObject({
  fees: z.array(
    z.strictObject({
      rule_id: FeeRuleId,
      version: z.int(),
      code: z.string(),
      description: z.string(),
      amount: Digits,
    }),
  ),
  exchange: z
    .strictObject({
      rate: z.string(),
      mid_rate: z.string(),
      spread_bps: z.number(),
      mid: Digits,
      spread: Digits,
      rate_ids: z.array(z.string()),
      as_of: z.string(),
    })
    .nullable(),
});
export type StoredPrice = z.output<typeof StoredPrice>;

/** Where nothing was priced (one currency, no fee) there is nothing to store. */
export function storedPrice({ fees, exchange }: Price): StoredPrice | undefined {
  if (fees.length === 0 && exchange === null) return undefined;
  return {
    fees: fees.map(({ ruleId, version, code, description, minor }) => ({
      rule_id: ruleId,
      version,
      code,
      description,
      amount: minor.toString(),
    })),
    exchange: exchange && {
      rate: exchange.rate,
      mid_rate: exchange.midRate,
      spread_bps: exchange.spreadBps,
      mid: exchange.mid.minor.toString(),
      spread: exchange.spread.minor.toString(),
      rate_ids: [...exchange.rateIds],
      as_of: exchange.asOf,
    },
  };
}

/** The price again, out of what was stored beside the amounts. */
export function restoredPrice(source: Money, target: Money, stored: StoredPrice | null): Price {
  const fees = (stored?.fees ?? []).map(({ rule_id, version, code, description, amount }) => ({
    ruleId: rule_id,
    version,
    code,
    description,
    minor: BigInt(amount),
  }));
  const exchange = stored?.exchange ?? null;
  const inTarget = (minor: string): Money => ({ minor: BigInt(minor), asset: target.asset });
  return {
    source,
    target,
    fees,
    totalDebit: { minor: fees.reduce((sum, fee) => sum + fee.minor, source.minor), asset: source.asset },
    exchange: exchange && {
      rate: exchange.rate,
      midRate: exchange.mid_rate,
      spreadBps: exchange.spread_bps,
      mid: inTarget(exchange.mid),
      spread: inTarget(exchange.spread),
      rateIds: exchange.rate_ids,
      asOf: exchange.as_of,
    },
  };
}

/** A line to be booked; `at` is a side of the transfer or the role of a house account. Amounts are signed minor units. */
export interface Leg {
  readonly at: 'source' | 'destination' | 'fees' | 'fx_position' | 'fx_spread';
  readonly asset: string;
  readonly amount: string;
  readonly part: 'principal' | 'fee' | 'fx' | 'spread';
}

/**
 * The lines of a priced transfer; each asset sums to zero on its own. A conversion goes through the bank's FX position, at the mid
 * rate; what the bank keeps of it is a line of its own. Undefined where one debit and one credit say all.
 */
export function legsOf(price: Price): Leg[] | undefined {
  const { source, target, fees, exchange } = price;
  if (fees.length === 0 && exchange === null) return undefined;
  const leg = (at: Leg['at'], asset: string, minor: bigint, part: Leg['part']): Leg => ({
    at,
    asset,
    amount: minor.toString(),
    part,
  });
  const legs = [
    leg('source', source.asset, -source.minor, 'principal'),
    ...fees.flatMap(({ minor }) => [
      leg('source', source.asset, -minor, 'fee'),
      leg('fees', source.asset, minor, 'fee'),
    ]),
    ...(exchange === null
      ? []
      : [
          leg('fx_position', source.asset, source.minor, 'fx'),
          leg('fx_position', target.asset, -exchange.mid.minor, 'fx'),
          leg('fx_spread', target.asset, exchange.spread.minor, 'spread'),
        ]),
    leg('destination', target.asset, target.minor, 'principal'),
  ];
  return legs.filter(({ amount }) => amount !== '0');
}
