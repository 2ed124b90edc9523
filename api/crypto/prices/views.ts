/** Prices of coins as customers and administrators see them. */
import type { z } from 'zod';
import type { CoinPriceRow, WatchedPriceRow } from '../../../db/queries/crypto/prices.ts';
import type * as wire from './schemas.ts';

/** The newest price; null if there is none yet. */
export function priceView({
  price,
  currency,
  pricedAt: at,
  stale,
}: Pick<CoinPriceRow, 'price' | 'currency' | 'pricedAt' | 'stale'>): z.output<
  typeof wire.CryptoPrice
> | null {
  return price === null || at === null ? null : { price, currency, at, stale };
}

export function watchedPriceView(row: WatchedPriceRow): z.output<typeof wire.AdminCryptoPrice> {
  const { asset, told: sources, breakerOpenedAt, breakerPrice } = row;
  return {
    ...{ asset, price: priceView(row), sources },
    breaker:
      breakerOpenedAt === null || breakerPrice === null
        ? null
        : { opened_at: breakerOpenedAt, price: breakerPrice },
  };
}
