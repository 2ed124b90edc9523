/** Exchange rates. They are only added to. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { fxRateStatuses, type FxRateStatus } from '../../../domain/exchange.ts';
import type { FxRateId } from '../../../domain/ids.ts';
import { decimal, oneOf, text, textArray, type RowOf } from '../../rows/columns.ts';
import { LAST_ID, composedStatement, narrowedTo } from '../../rows/composed.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { FxRate } from '../../schema/pricing.ts';

const stored = columnsOf(
  FxRate,
  'id',
  'base',
  'quote',
  'validFrom',
  'validUntil',
  'source',
  'createdBy',
  'createdAt',
);
const fxRate = { ...stored, rate: decimal(), spreadBps: decimal(), status: oneOf(fxRateStatuses) };
/** One unit of `base` is `rate` units of `quote`. */
export type FxRateRow = RowOf<typeof fxRate>;

/** What somebody asks about, which may be no pair of currencies. */
const pair = { base: text(), quote: text() };

const SELECT = `
  select ${selectList(stored, 'r')}, trim_scale(r.rate) as rate, trim_scale(r.spread_bps) as spread_bps,
         case when r.valid_from > (select bank_now()) then 'planned' when f.id <> r.id then 'superseded' when f.stale then 'stale' else 'current' end as status
    from fx_rates r left join lateral fx_rate_at(r.base, r.quote, bank_now()) f on true`;

/** Which rates: what is left out is not narrowed to. From below `before`. */
export interface FxRatePage {
  readonly base?: string | undefined;
  readonly quote?: string | undefined;
  readonly status?: FxRateStatus | undefined;
  readonly before: FxRateId | null;
  readonly most: number;
}

/** A page of rates, the one set last first, from below `before`. */
export const fxRates = composedStatement({
  name: 'fxRates',
  gives: fxRate,
  compose({ base, quote, status, before, most }: FxRatePage, bind) {
    const narrowing = { 'id <': before ?? LAST_ID, 'base =': base, 'quote =': quote, 'status =': status };
    return `select * from (${SELECT}) rate where ${narrowedTo(narrowing, bind)} order by id desc limit ${bind(most)}`;
  },
  examples: [
    { before: null, most: 1 },
    { base: 'EUR', quote: 'USD', status: 'current', before: null, most: 1 },
  ],
});

/** The rate that counts in this direction, or counted last; undefined where there never was one. */
export const newestFxRate = statement({
  name: 'newestFxRate',
  takes: pair,
  gives: fxRate,
  sql: `
    ${SELECT} where r.base = $base and r.quote = $quote and r.valid_from <= (select bank_now())
     order by r.valid_from desc, r.id desc limit 1`,
});

const insertFxRate = statement({
  name: 'insertFxRate',
  takes: {
    ...columnsOf(FxRate, 'id', 'base', 'quote', 'rate', 'spreadBps', 'validUntil', 'source', 'createdBy'),
    validFrom: stored.validFrom.nullable(),
  },
  gives: {},
  sql: `
    insert into fx_rates (id, base, quote, rate, spread_bps, valid_from, valid_until, source, created_by)
    values ($id, $base, $quote, $rate, $spreadBps,
            coalesce($validFrom::timestamptz, bank_now()), $validUntil, $source, $createdBy)`,
});

/** One rate. */
export const fxRateById = statement({
  name: 'fxRateById',
  takes: columnsOf(FxRate, 'id'),
  gives: fxRate,
  sql: `${SELECT} where r.id = $id`,
});

/**
 * The rates of a pair that counted within the last day, count, or are to count; and the highest rate of the opposite direction that
 * counts or is to count, null if there is none.
 */
export const ratesAround = statement({
  name: 'ratesAround',
  takes: pair,
  gives: { recent: textArray(), opposite: text().nullable() },
  sql: `
    select array(
        select trim_scale(r.rate)::text from fx_rates r
         where r.base = $base and r.quote = $quote and r.valid_from > (select bank_now()) - interval '1 day'
        union
        select trim_scale(f.rate)::text from fx_rate_at($base, $quote, bank_now() - interval '1 day') f) as recent,
      (select trim_scale(max(o.rate))::text from (
        select r.rate from fx_rates r
         where r.base = $quote and r.quote = $base and r.valid_from > (select bank_now())
        union all
        select f.rate from fx_rate_at($quote, $base, bank_now()) f) o) as opposite`,
});

/** What a rate says; `validFrom` null is from now on. */
export type NewFxRate = RowOf<(typeof insertFxRate)['takes']>;

/** Adds a rate. What no rate may say, a constraint of the table refuses. */
export async function addFxRate(db: EntityManager, rate: NewFxRate): Promise<FxRateRow> {
  await insertFxRate.run(db, rate);
  return fxRateById.one(db, { id: rate.id });
}
