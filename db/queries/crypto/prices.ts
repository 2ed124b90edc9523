/** Prices of coins. Functions of the database write them. */
import { z } from 'zod';
import { SourcePrices, type ToldPrice } from '../../../domain/crypto/prices.ts';
import type { UserId } from '../../../domain/ids.ts';
import {
  bigCount,
  boolean,
  id,
  integer,
  json,
  ownJson,
  text,
  textArray,
  type RowOf,
} from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { CoinPrice, CryptoAsset } from '../../schema/crypto.ts';

/** Which coins the bank wants the prices of, and in which currency. */
export const coinsToPrice = statement({
  name: 'coinsToPrice',
  gives: { ...columnsOf(CryptoAsset, 'asset'), currency: text() },
  sql: `
    select c.asset, s.base_asset as currency from crypto_assets c, fx_settings s where c.enabled order by c.asset`,
});

/** Takes the turn of asking a source; false if another worker has within so many seconds. */
export const beginPricePoll = statement({
  name: 'beginPricePoll',
  takes: { source: text(), seconds: integer() },
  gives: { isDue: boolean() },
  sql: 'select price_poll_begin($source, $seconds) as is_due',
});

/** Keeps what a source says, and takes the prices that follow. Gives the coins whose breakers this has opened. */
export const noteSourcePrices = statement({
  name: 'noteSourcePrices',
  takes: { source: text(), currency: text(), told: ownJson<readonly ToldPrice[]>() },
  gives: { asset: text() },
  sql: 'select asset from source_prices_note($source, $currency, $told) asset',
});

const taken = columnsOf(CoinPrice, 'price', 'pricedAt', 'breakerOpenedAt', 'breakerPrice');
const coinPrice = {
  ...columnsOf(CryptoAsset, 'asset'),
  ...{ ...taken, currency: text(), sources: json(SourcePrices).nullable() },
  /** Too old to trade at, or there is none. */
  stale: boolean(),
};
/** A coin with the newest price of it that the bank has taken, in the bank's currency. */
export type CoinPriceRow = RowOf<typeof coinPrice>;

/** Whether a price `p` is too old to trade at by the bank's settings `b`, or there is none. */
export const PRICE_IS_STALE =
  'coalesce(extract(epoch from machine_now() - p.priced_at) > b.price_max_age_seconds, true)';

const PRICES = `
  select c.asset, s.base_asset as currency, ${selectList(taken, 'p')}, p.sources,
         ${PRICE_IS_STALE} as stale
    from fx_settings s cross join bank_settings b cross join crypto_assets c
    left join coin_prices p on p.asset = c.asset and p.currency = s.base_asset`;

/** The prices of these coins. */
export const pricesOf = statement({
  name: 'pricesOf',
  takes: { assets: textArray() },
  gives: coinPrice,
  sql: `${PRICES} where c.asset = any ($assets) order by c.asset`,
});

const Told = z.array(
  z.object({
    ...{ source: z.string(), price: z.string(), at: z.coerce.date<string>() },
    /** Too old to count. */
    stale: z.boolean(),
    /** The price that was taken last follows from it. */
    used: z.boolean(),
  }),
);
const watched = { ...coinPrice, told: json(Told) };
/** A coin as administrators watch its price: with what each source says of it. */
export type WatchedPriceRow = RowOf<typeof watched>;

const WATCHED = `
  select c.*, coalesce(t.told, '[]') as told
    from (${PRICES}) c cross join bank_settings b cross join lateral (
      select jsonb_agg(jsonb_build_object('source', x.source, 'price', trim_scale(x.price)::text, 'at', x.told_at,
               'stale', abs(extract(epoch from machine_now() - x.told_at)) > b.price_max_age_seconds,
               'used', coalesce(c.sources @> jsonb_build_array(jsonb_build_object('source', x.source)), false))
               order by x.source) as told
        from source_prices x where x.asset = c.asset and x.currency = c.currency) t`;

/** A page of coins with their prices, by their codes. */
export const watchedPricesAfter = statement({
  name: 'watchedPricesAfter',
  takes: { after: text(), most: bigCount() },
  gives: watched,
  sql: `${WATCHED} where c.asset > $after order by c.asset limit $most`,
});

export const watchedPrice = statement({
  name: 'watchedPrice',
  takes: { asset: text() },
  gives: watched,
  sql: `${WATCHED} where c.asset = $asset`,
});

/** Closes the breaker of a coin; false if it was not open. */
export const resetBreaker = statement({
  name: 'resetBreaker',
  takes: { asset: text(), by: id<UserId>() },
  gives: { wasOpen: boolean() },
  sql: 'select coin_breaker_reset($asset, $by) as was_open',
});

/** How many of the coins that the bank offers have a price, and how many must not be traded. */
export const countPrices = statement({
  name: 'countPrices',
  gives: { state: text(), count: bigCount() },
  sql: `
    select case when p.breaker_opened_at is not null then 'breaker_open' when p.stale then 'unavailable' else 'current' end as state,
           count(*) as count
      from (${PRICES}) p join crypto_assets c on c.asset = p.asset
     where c.enabled group by 1 order by 1`,
});
