/** The rates by which balances are valued, at one or many times. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredRate } from '../../../domain/exchange.ts';
import type { Money } from '../../../domain/money.ts';
import { worthOf, type Worth } from '../../../domain/valuation.ts';
import { row, rows } from '../../sql.ts';

export interface Valuation {
  /** What everything is valued in. */
  readonly currency: string;
  /** The worth at one of the moments; null where no rate was known by then. */
  worth(money: Money, moment: Date): Worth | null;
}

interface RateRow {
  readonly at: Date;
  readonly id: string;
  readonly base: string;
  readonly quote: string;
  readonly rate: string;
  readonly spread_bps: string;
  readonly valid_from: Date;
  readonly stale: boolean;
}

/**
 * Reads the rates that were known at these moments. `currency` is what to value in, the bank's own where it is null.
 * Costs one look-up for each moment and pair of currencies, however many rates there are.
 */
export async function openValuation(
  em: EntityManager,
  assets: readonly string[],
  moments: readonly Date[],
  currency: string | null,
): Promise<Valuation> {
  const bank = await row<{ base_asset: string }>(em, 'select base_asset from fx_settings');
  if (bank === undefined) throw new Error('fx_settings has no row');
  const wanted = currency ?? bank.base_asset;
  const pairs = pairsOf(assets, wanted, bank.base_asset);
  const found =
    pairs.length === 0
      ? []
      : await rows<RateRow>(
          em,
          `select moment.at, r.id, r.base, r.quote, r.rate, r.spread_bps, r.valid_from,
                  coalesce(r.valid_until, r.valid_from + make_interval(secs => s.stale_seconds)) <= moment.at as stale
             from fx_settings s cross join unnest($1::timestamptz[]) moment(at) cross join unnest($2::text[], $3::text[]) pair(base, quote)
             cross join lateral (select * from fx_rates f where f.base = pair.base and f.quote = pair.quote and f.valid_from <= moment.at
                                  order by f.valid_from desc, f.id desc limit 1) r`,
          [moments, pairs.map(([base]) => base), pairs.map(([, quote]) => quote)],
        );
  const known = Map.groupBy(found, ({ at }) => at.getTime());
  return {
    currency: wanted,
    worth: (money, moment) =>
      worthOf(money, wanted, (known.get(moment.getTime()) ?? []).map(storedRate), bank.base_asset),
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

function storedRate({ spread_bps: spreadBps, valid_from: validFrom, ...rate }: RateRow): StoredRate {
  return { ...rate, spreadBps, validFrom };
}
