/**
 * Balances at past times. By booking a balance is one index look-up, since every entry keeps the balance after it. By value date it is
 * the booked one, corrected by the entries that count on another day than they were booked: those have an index of their own.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountId } from '../../../domain/ids.ts';
import { rows } from '../../sql.ts';

export type Interval = 'hour' | 'day' | 'week' | 'month';

/** What is asked for: a point at both ends and at every beginning of an hour, day, week (Monday) or month between them. */
export interface Span {
  readonly from: Date;
  readonly to: Date;
  readonly interval: Interval;
  /** IANA name: where hours and days begin. */
  readonly timeZone: string;
}

/** The sum of the accounts of one asset at one moment, in minor units. */
export interface BalanceRow {
  readonly at: Date;
  readonly asset: string;
  readonly balance: string;
}

// $2 from, $3 to, $4 interval, $5 time zone. Days are as long as they are there.
const POINTS = `
  points as materialized (
    select $2::timestamptz(3) as at union select $3::timestamptz(3)
    union select step from generate_series(date_trunc($4, $2::timestamptz, $5), $3::timestamptz, ('1 ' || $4)::interval, $5) step
     where step > $2 and step < $3
  )`;

const BOOKED = `
  with ${POINTS}
  select p.at, a.asset, sum(coalesce(last.balance_after, 0))::text as balance
    from points p cross join (select id, asset from accounts where id = any ($1::uuid[])) a
    left join lateral (select e.balance_after from ledger_entries e where e.account_id = a.id and e.booked_at <= p.at
                        order by e.booked_at desc, e.seq desc limit 1) last on true
   group by p.at, a.asset order by a.asset, p.at`;

/*
 * The day of a point is the one that ends at it or is going on. Booked until the end of that day (UTC, as value dates are given), plus
 * what counts by then although booked later, less what was booked by then and counts later: summed along the days, the points' among them.
 */
const VALUED = `
  with ${POINTS}, days as materialized (
    select at, ((at - interval '1 microsecond') at time zone $5)::date as day from points
  ), chosen as materialized (
    select id, asset from accounts where id = any ($1::uuid[])
  ), shifts as (
    select e.asset, m.day, m.delta from ledger_entries e cross join lateral (values (e.value_date, e.amount::numeric),
           ((e.booked_at at time zone 'UTC')::date, -e.amount::numeric)) m(day, delta)
     where e.account_id = any ($1::uuid[]) and e.value_date <> (e.booked_at at time zone 'UTC')::date
    union all select c.asset, d.day, 0 from (select distinct asset from chosen) c cross join (select distinct day from days) d
  ), shifted as materialized (
    select asset, day, sum(sum(delta)) over (partition by asset order by day) as total from shifts group by asset, day
  )
  select p.at, a.asset, (sum(coalesce(last.balance_after::numeric, 0)) + max(s.total))::text as balance
    from days p cross join chosen a
    left join lateral (select e.balance_after from ledger_entries e where e.account_id = a.id and e.booked_at < (p.day + 1)::timestamp at time zone 'UTC'
                        order by e.booked_at desc, e.seq desc limit 1) last on true
    join shifted s on s.asset = a.asset and s.day = p.day
   group by p.at, a.asset order by a.asset, p.at`;

/** The balances of these accounts, put together by asset, at every point; zero before their first entry. */
export function balancesAt(
  em: EntityManager,
  accounts: readonly AccountId[],
  span: Span,
  by: 'booking' | 'value',
): Promise<BalanceRow[]> {
  return rows(em, by === 'booking' ? BOOKED : VALUED, [
    accounts,
    span.from,
    span.to,
    span.interval,
    span.timeZone,
  ]);
}

/** What a customer has in one currency at this moment, all of one snapshot; minor units. */
export interface HoldingRow {
  readonly asset: string;
  readonly accounts: number;
  readonly posted: string;
  readonly held: string;
  readonly available: string;
}

export function holdingsOf(em: EntityManager, owner: string): Promise<HoldingRow[]> {
  return rows(
    em,
    `select asset, count(*)::int as accounts, sum(posted)::text as posted, sum(held)::text as held,
            sum(posted - held + overdraft_limit)::text as available
       from accounts where owner_id = $1 and status <> 'closed' group by asset order by asset`,
    [owner],
  );
}

/** All accounts of a customer, closed ones too: their past counts. */
export async function accountIdsOf(em: EntityManager, owner: string): Promise<AccountId[]> {
  const found = await rows<{ id: AccountId }>(em, 'select id from accounts where owner_id = $1 order by id', [
    owner,
  ]);
  return found.map(({ id }) => id);
}
