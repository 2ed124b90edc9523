/** The rates by which balances are valued, at one or many times. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { CurrencyCode } from '../../../domain/assets.ts';
import type { StoredRate } from '../../../domain/exchange.ts';
import type { Money } from '../../../domain/money.ts';
import { worthOf, type Worth } from '../../../domain/pricing/valuation.ts';
import { boolean, moment, momentArray, textArray } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { FxRate, FxSettings } from '../../schema/pricing.ts';

export interface Valuation {
  /** What everything is valued in. */
  readonly currency: CurrencyCode;
  /** The worth at one of the moments; null where no rate was known by then. */
  worth(money: Money, moment: Date): Worth | null;
}

const bankCurrency = statement({
  name: 'bankCurrency',
  gives: columnsOf(FxSettings, 'baseAsset'),
  sql: 'select base_asset from fx_settings',
});

const rate = columnsOf(FxRate, 'id', 'base', 'quote', 'rate', 'spreadBps', 'validFrom');

const ratesAt = statement({
  name: 'ratesAt',
  takes: { moments: momentArray(), bases: textArray(), quotes: textArray() },
  gives: { at: moment(), ...rate, stale: boolean() },
  sql: `
    select moment.at, ${selectList(rate, 'r')},
           coalesce(r.valid_until, r.valid_from + make_interval(secs => s.stale_seconds)) <= moment.at as stale
      from fx_settings s cross join unnest($moments::timestamptz[]) moment(at) cross join unnest($bases::text[], $quotes::text[]) pair(base, quote)
      cross join lateral (select * from fx_rates f where f.base = pair.base and f.quote = pair.quote and f.valid_from <= moment.at
                           order by f.valid_from desc, f.id desc limit 1) r`,
});

/**
 * Reads the rates that were known at these moments. `currency` is what to value in, the bank's own where it is null; `more` are rates
 * that hold at all of them. Costs one look-up for each moment and pair of currencies, however many rates there are.
 */
export async function openValuation(
  db: EntityManager,
  assets: readonly string[],
  moments: readonly Date[],
  currency: CurrencyCode | null,
  more: readonly StoredRate[] = [],
): Promise<Valuation> {
  const { baseAsset } = await bankCurrency.one(db);
  const wanted = currency ?? baseAsset;
  const pairs = pairsOf(assets, wanted, baseAsset);
  const [bases, quotes] = [pairs.map(([base]) => base), pairs.map(([, quote]) => quote)];
  const found = pairs.length === 0 ? [] : await ratesAt.all(db, { moments, bases, quotes });
  const known = Map.groupBy(found, ({ at }) => at.getTime());
  return {
    currency: wanted,
    worth: (money, moment) =>
      worthOf(money, wanted, [...(known.get(moment.getTime()) ?? []), ...more], baseAsset),
  };
}

/** Each currency's own pair and its two legs over the bank's currency, in both directions. */
function pairsOf(assets: readonly string[], wanted: string, bank: string): (readonly [string, string])[] {
  const pairs = new Map<string, readonly [string, string]>();
  for (const asset of assets) {
    if (asset === wanted) continue;
    for (const [one, other] of [
      [asset, wanted],
      [asset, bank],
      [bank, wanted],
    ] as const) {
      if (one === other) continue;
      pairs.set(`${one}/${other}`, [one, other]);
      pairs.set(`${other}/${one}`, [other, one]);
    }
  }
  return [...pairs.values()];
}
