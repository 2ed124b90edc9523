/** Exchange rates. They are only added to. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { FxRateId, UserId } from '../../../domain/ids.ts';
import { row, rows } from '../../sql.ts';

/** One unit of `base` is `rate` units of `quote`. */
export interface FxRateRow {
  readonly id: FxRateId;
  readonly base: string;
  readonly quote: string;
  readonly rate: string;
  readonly spread_bps: string;
  readonly valid_from: Date;
  readonly valid_until: Date | null;
  readonly source: string;
  readonly created_by: UserId | null;
  readonly created_at: Date;
  readonly status: 'planned' | 'current' | 'stale' | 'superseded';
}

const SELECT = `
  select r.id, r.base, r.quote, trim_scale(r.rate) as rate, trim_scale(r.spread_bps) as spread_bps, r.valid_from, r.valid_until, r.source,
         r.created_by, r.created_at,
         case when r.valid_from > clock_timestamp() then 'planned' when f.id <> r.id then 'superseded' when f.stale then 'stale' else 'current' end as status
    from fx_rates r left join lateral fx_rate_at(r.base, r.quote, clock_timestamp()) f on true`;

const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** What a list of rates may be narrowed to. */
export interface FxRateFilter {
  readonly base?: string | undefined;
  readonly quote?: string | undefined;
  readonly status?: FxRateRow['status'] | undefined;
}

/** A page of rates, the one set last first, from below `before`. */
export function fxRates(
  em: EntityManager,
  filter: FxRateFilter,
  before: FxRateId | null,
  most: number,
): Promise<FxRateRow[]> {
  return rows(
    em,
    `select * from (${SELECT}) rate where id < $1::uuid and ($2::text is null or base = $2) and ($3::text is null or quote = $3)
        and ($4::text is null or status = $4)
      order by id desc limit $5`,
    [before ?? LAST, filter.base ?? null, filter.quote ?? null, filter.status ?? null, most],
  );
}

/** The rate that counts in this direction, or counted last; undefined where there never was one. */
export function newestFxRate(em: EntityManager, base: string, quote: string): Promise<FxRateRow | undefined> {
  return row(
    em,
    `${SELECT} where r.base = $1 and r.quote = $2 and r.valid_from <= clock_timestamp() order by r.valid_from desc, r.id desc limit 1`,
    [base, quote],
  );
}

/** What a rate says; `validFrom` undefined is from now on. */
export interface NewFxRate {
  readonly id: FxRateId;
  readonly base: string;
  readonly quote: string;
  readonly rate: string;
  readonly spreadBps: string;
  readonly validFrom: Date | undefined;
  readonly validUntil: Date | null;
  readonly source: string;
  readonly createdBy: UserId | null;
}

/** Adds a rate. What no rate may say, a constraint of the table refuses. */
export async function addFxRate(em: EntityManager, rate: NewFxRate): Promise<FxRateRow> {
  const { id, base, quote } = rate;
  await rows(
    em,
    `insert into fx_rates (id, base, quote, rate, spread_bps, valid_from, valid_until, source, created_by)
     values ($1, $2, $3, $4, $5, coalesce($6::timestamptz, date_trunc('milliseconds', clock_timestamp())), $7, $8, $9)`,
    [
      id,
      base,
      quote,
      rate.rate,
      rate.spreadBps,
      rate.validFrom ?? null,
      rate.validUntil,
      rate.source,
      rate.createdBy,
    ],
  );
  const added = await row<FxRateRow>(em, `${SELECT} where r.id = $1`, [id]);
  if (added === undefined) throw new Error('a rate that was added is not there');
  return added;
}
