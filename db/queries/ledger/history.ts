/**
 * Balances at past times. By booking a balance is one index look-up, since every entry keeps the balance after it. By value date it is
 * the booked one, corrected by the entries that count on another day than they were booked: those have an index of their own.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountId, UserId } from '../../../domain/ids.ts';
import { bigCount, idArray, minor, moment, oneOf, text, type RowOf } from '../../rows/columns.ts';
import { query } from '../../rows/query.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { Account } from '../../schema/accounts.ts';

const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

const span = { from: moment(), to: moment(), interval: oneOf(INTERVALS), timeZone: text() };
/**
 * What is asked for: a point at both ends and at every beginning of an hour, day, week (Monday) or month between them. `timeZone` is
 * an IANA name: where hours and days begin.
 */
export type Span = RowOf<typeof span>;
const takes = { accounts: idArray<AccountId>(), ...span };

const { asset } = columnsOf(Account, 'asset');
const balance = { at: moment(), asset, balance: minor() };
/** The sum of the accounts of one asset at one moment. */
export type BalanceRow = RowOf<typeof balance>;

/** Days are as long as they are in that time zone. */
const POINTS = `
  points as materialized (
    select $from::timestamptz(3) as at union select $to::timestamptz(3)
    union select step from generate_series(date_trunc($interval, $from::timestamptz, $timeZone), $to::timestamptz, ('1 ' || $interval)::interval, $timeZone) step
     where step > $from and step < $to
  )`;

const bookedBalances = statement({
  name: 'bookedBalances',
  takes,
  gives: balance,
  sql: `
  with ${POINTS}
  select p.at, a.asset, sum(coalesce(last.balance_after, 0)) as balance
    from points p cross join (select id, asset from accounts where id = any ($accounts::uuid[])) a
    left join lateral (select e.balance_after from ledger_entries e where e.account_id = a.id and e.booked_at <= p.at
                        order by e.booked_at desc, e.seq desc limit 1) last on true
   group by p.at, a.asset order by a.asset, p.at`,
});

/**
 * The day of a point is the one that ends at it or is going on. Booked until the end of that day in UTC, as the index of shifted entries
 * has it, plus what counts by then although booked later, less what was booked by then and counts later: summed along the days, the
 * points' among them.
 */
const valuedBalances = statement({
  name: 'valuedBalances',
  takes,
  gives: balance,
  sql: `
  with ${POINTS}, days as materialized (
    select at, ((at - interval '1 microsecond') at time zone $timeZone)::date as day from points
  ), chosen as materialized (
    select id, asset from accounts where id = any ($accounts::uuid[])
  ), shifts as (
    select e.asset, m.day, m.delta from ledger_entries e cross join lateral (values (e.value_date, e.amount::numeric),
           ((e.booked_at at time zone 'UTC')::date, -e.amount::numeric)) m(day, delta)
     where e.account_id = any ($accounts::uuid[]) and e.value_date <> (e.booked_at at time zone 'UTC')::date
    union all select c.asset, d.day, 0 from (select distinct asset from chosen) c cross join (select distinct day from days) d
  ), shifted as materialized (
    select asset, day, sum(sum(delta)) over (partition by asset order by day) as total from shifts group by asset, day
  )
  select p.at, a.asset, sum(coalesce(last.balance_after::numeric, 0)) + max(s.total) as balance
    from days p cross join chosen a
    left join lateral (select e.balance_after from ledger_entries e where e.account_id = a.id and e.booked_at < (p.day + 1)::timestamp at time zone 'UTC'
                        order by e.booked_at desc, e.seq desc limit 1) last on true
    join shifted s on s.asset = a.asset and s.day = p.day
   group by p.at, a.asset order by a.asset, p.at`,
});

/** The balances of these accounts, put together by asset, at every point; zero before their first entry. */
export function balancesAt(
  db: EntityManager,
  accounts: readonly AccountId[],
  span: Span,
  by: 'booking' | 'value',
): Promise<BalanceRow[]> {
  return (by === 'booking' ? bookedBalances : valuedBalances).all(db, { accounts, ...span });
}

const holding = { asset, accounts: bigCount(), posted: minor(), held: minor(), available: minor() };
/** What a customer has in one currency at this moment. */
export type HoldingRow = RowOf<typeof holding>;

/** What a customer has in each currency, all of one snapshot. */
export const holdingsOf = statement({
  name: 'holdingsOf',
  takes: columnsOf(Account, 'ownerId'),
  gives: holding,
  sql: `
    select asset, count(*) as accounts, sum(posted) as posted, sum(held) as held,
           sum(posted - held + overdraft_limit) as available
      from accounts where owner_id = $ownerId and kind = 'customer' and status <> 'closed' group by asset order by asset`,
});

/** All accounts of a customer, closed ones too: their past counts. */
export async function accountIdsOf(db: EntityManager, owner: UserId): Promise<AccountId[]> {
  const found = await query(db)
    .selectFrom('accounts')
    .select('id')
    .where('ownerId', '=', owner)
    .where('kind', '=', 'customer')
    .orderBy('id')
    .execute();
  return found.map(({ id }) => id);
}
