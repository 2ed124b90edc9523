/** Exchanges whose public tickers tell what coins are worth. Which of them count, and what price follows, is decided in the database. */
import type { PriceSourceName, ToldPrice } from '../../domain/crypto/prices.ts';

export interface PriceSource {
  readonly name: PriceSourceName;
  /** What it says of these coins in a currency; those it does not trade are left out. Throws if it cannot be read. */
  prices(coins: readonly string[], currency: string): Promise<readonly ToldPrice[]>;
}
