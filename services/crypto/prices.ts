/** Prices of coins, and the breakers that an administrator resets. */
import { record } from '../../db/queries/platform/audit.ts';
import {
  pricesOf,
  resetBreaker,
  watchedPrice,
  type CoinPriceRow,
  type WatchedPriceRow,
} from '../../db/queries/crypto/prices.ts';
import { openValuation, type Valuation } from '../../db/queries/pricing/valuation.ts';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { CurrencyCode } from '../../domain/assets.ts';
import type { StoredRate } from '../../domain/exchange.ts';
import { found } from '../../domain/refusals.ts';
import type { AdminCall } from '../callers.ts';

/** Values coins at a moment that is now, by their newest prices. `currency` is the bank's own where it is null. */
export async function openCoinValuation(
  db: EntityManager,
  assets: readonly string[],
  at: Date,
  currency: CurrencyCode | null,
): Promise<Valuation> {
  const rates = (await pricesOf.all(db, { assets })).flatMap(rateOf);
  const priced = [...new Set(rates.map(({ quote }) => quote))];
  return openValuation(db, priced, [at], currency, rates);
}

/** A price as a rate between the coin and the currency; none if there is no price. */
function rateOf({ asset, currency, price, pricedAt, stale }: CoinPriceRow): StoredRate[] {
  if (price === null || pricedAt === null) return [];
  return [
    { id: asset, base: asset, quote: currency, rate: price, spreadBps: '0', validFrom: pricedAt, stale },
  ];
}

/** Closes the breaker of a coin: what the sources say now is its price. Refuses crypto_breaker_closed if it is not open. */
export async function closeBreaker(
  { db, actor, refusal }: Pick<AdminCall<'crypto_breaker_closed'>, 'db' | 'actor' | 'refusal'>,
  asset: string,
): Promise<WatchedPriceRow> {
  const before = found(await watchedPrice.first(db, { asset }));
  const { wasOpen } = await resetBreaker.one(db, { asset, by: actor.id });
  if (!wasOpen) throw refusal('crypto_breaker_closed');
  const after = await watchedPrice.one(db, { asset });
  await record(db, actor, {
    action: 'crypto_breaker.reset',
    subject: ['crypto_asset', asset],
    ...{ before: told(before), after: told(after) },
  });
  return after;
}

const told = ({ price, breakerPrice }: WatchedPriceRow) => ({ price, breaker_price: breakerPrice });
