/** What a transfer moves and costs, to the last minor unit: the numbers that a quote freezes and the books repeat. */
import type { FeeRuleId } from './ids.ts';
import type { Money } from './money.ts';

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
