/** Asks exchanges what coins are worth. Each is asked apart from the others: one that is slow or away keeps no price of the others back. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { partFailures } from '../adapters/metrics.ts';
import type { PriceSource } from '../adapters/prices/price-source.ts';
import { beginPricePoll, coinsToPrice, noteSourcePrices } from '../db/queries/crypto/prices.ts';
import { unlessAway } from './rounds.ts';

export interface PriceRoundDeps {
  readonly source: PriceSource;
  readonly em: () => EntityManager;
  readonly log: Logger;
}

/** One round of asking a source, unless another worker has within `seconds`. Never throws. */
export function priceRound(deps: PriceRoundDeps, seconds: number): () => Promise<void> {
  const { source, log } = deps;
  return unlessAway(
    () => ask(deps, seconds),
    (err, pause) => {
      partFailures.inc({ part: 'prices' });
      log.warn({ err, pause, source: source.name }, 'a source of prices cannot be read; it is asked again');
    },
  );
}

async function ask({ source, em, log }: PriceRoundDeps, seconds: number): Promise<void> {
  const wanted = await coinsToPrice.all(em());
  const currency = wanted[0]?.currency;
  if (currency === undefined) return;
  const turn = await beginPricePoll.one(em(), { source: source.name, seconds });
  if (!turn.isDue) return;
  const told = await source.prices(
    wanted.map(({ asset }) => asset),
    currency,
  );
  const opened = await noteSourcePrices.all(em(), { source: source.name, currency, told });
  for (const { asset } of opened)
    log.error(
      { alert: 'crypto_breaker_open', asset },
      'the price of a coin has jumped: nobody trades it until an administrator has looked',
    );
}
