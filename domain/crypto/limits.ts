/** Limits of buying, selling and withdrawing coins, by what they are worth in the base currency. */
import { isRaisedAtSomeLevel } from '../limits-raised.ts';

/** What limits are set for. */
export const COIN_OPERATIONS = ['buy', 'sell', 'withdrawal'] as const;
export type CoinOperation = (typeof COIN_OPERATIONS)[number];

/** From a level of the customer on: the most in any 24 hours (`day`) and in any 30 days (`month`), in minor units. Null is no limit. */
export interface CoinLimit {
  readonly kycLevel: number;
  readonly day: bigint | null;
  readonly month: bigint | null;
}

/** True if a customer of any level could buy, sell or withdraw more. */
export function loosensCoinLimits(before: readonly CoinLimit[], after: readonly CoinLimit[]): boolean {
  return isRaisedAtSomeLevel(before, after, ['day', 'month']);
}
