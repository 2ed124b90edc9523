-- Proof of reserves: what customers and the bank have of each coin by the books, beside what the custodian
-- says that it holds. Only these functions write.

-- Takes the turn of counting, if nobody has within so many seconds.
create or replace function crypto_reserves_begin(every_seconds int) returns boolean
language sql security definer set search_path = public, pg_temp as $$
  with turn as (
    update custody_poll p set counted_at = bank_now()
      where p.counted_at <= bank_now() - make_interval(secs => every_seconds) returning 1)
  select exists (select from turn);
$$;

-- Counts each coin, and keeps what the custodian has said that it holds, asked after `asked`:
-- [{ asset, total, available, pending, frozen, locked }] by its names, in whole coins. Amounts of one name
-- are added up, and names that the bank does not know are left out. Returns the coins of which somebody must
-- know since this count: for fifteen minutes each count has found that the custodian holds something else
-- than the books say (differ), or less than customers are owed (short).
create or replace function crypto_reserves_count(told jsonb, asked timestamptz)
returns table (coin text, fault text)
language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare moment timestamptz(3) := bank_now(); patience interval := interval '15 minutes';
begin
  perform from custody_poll for update;
  insert into custody_holdings as h (asset, network, total, available, pending, frozen, locked)
    select n.asset, n.network, coalesce(sum(t.total), 0), coalesce(sum(t.available), 0),
           coalesce(sum(t.pending), 0), coalesce(sum(t.frozen), 0), coalesce(sum(t.locked), 0)
      from asset_networks n left join jsonb_to_recordset(told) t(asset text, total numeric, available numeric,
        pending numeric, frozen numeric, locked numeric) on t.asset = n.custody_asset
     group by n.asset, n.network order by n.asset, n.network
    on conflict (asset, network) do update set total = excluded.total, available = excluded.available,
      pending = excluded.pending, frozen = excluded.frozen, locked = excluded.locked;
  return query with unit as (
    select c.asset, ('1e-' || a.scale)::numeric as unit from crypto_assets c join assets a on a.code = c.asset
  ), customers as (
    select a.asset, sum(greatest(a.posted, 0)) * s.unit as owed,
           sum(greatest(- a.posted, 0)) * s.unit as overdrawn
      from accounts a join unit s on s.asset = a.asset where a.kind = 'coin' group by a.asset, s.unit
  ), house as (
    select h.asset, sum(h.balance) as balance, jsonb_object_agg(h.role, trim_scale(h.balance)::text) as roles
      from (
        select s.asset, a.role, sum(a.posted) * s.unit as balance from house_roles r cross join unit s
          join accounts a on a.role = r.code and a.asset = s.asset
         where r.code <> 'custody' group by s.asset, a.role, s.unit) h
      where h.balance <> 0 group by h.asset
  ), way as (
    select x.asset, sum(x.chain_amount * ('1e-' || n.scale)::numeric) as in_flight from (
        select d.asset, d.network, d.chain_amount::numeric from crypto_deposits d
          where (d.status = 'pending' or (d.custody_status = 'moving' and d.status = 'reversed'))
            and d.custody_status <> 'failed'
        union all
        select m.asset, m.network, m.chain_amount::numeric - m.booked from custody_movements m
          where m.booked <> m.chain_amount) x
      join asset_networks n on (n.asset, n.network) = (x.asset, x.network) group by x.asset
  ), place as (
    select n.asset, sum(n.remainder * ('1e-' || n.scale)::numeric) as remainder, sum(h.total) as custodian
      from asset_networks n join custody_holdings h on (h.asset, h.network) = (n.asset, n.network)
     group by n.asset
  ), counted as (
    select c.asset, coalesce(u.owed, 0) as owed, coalesce(u.overdrawn, 0) as overdrawn,
           coalesce(h.roles, '{}') as house, coalesce(w.in_flight, 0) as in_flight, p.remainder, p.custodian,
           p.custodian - coalesce(w.in_flight, 0) - p.remainder - coalesce(u.owed - u.overdrawn, 0)
             - coalesce(h.balance, 0) as difference,
           greatest(0, coalesce(u.owed, 0) - (p.custodian - coalesce(w.in_flight, 0))) as shortfall
      from unit c join place p on p.asset = c.asset
      left join customers u on u.asset = c.asset left join house h on h.asset = c.asset
      left join way w on w.asset = c.asset
  ), kept as (
    insert into crypto_reserves as r (asset, owed, overdrawn, house, in_flight, remainder, custodian,
        difference, shortfall, differs_since, short_since, asked_at, counted_at)
      select x.asset, x.owed, x.overdrawn, x.house, x.in_flight, x.remainder, x.custodian, x.difference,
             x.shortfall, case when x.difference <> 0 then moment end,
             case when x.shortfall > 0 then moment end, asked, moment
        from counted x order by x.asset
      on conflict (asset) do update set owed = excluded.owed, overdrawn = excluded.overdrawn,
        house = excluded.house, in_flight = excluded.in_flight, remainder = excluded.remainder,
        custodian = excluded.custodian, difference = excluded.difference, shortfall = excluded.shortfall,
        differs_since = case when excluded.difference <> 0 then coalesce(r.differs_since, moment) end,
        short_since = case when excluded.shortfall > 0 then coalesce(r.short_since, moment) end,
        asked_at = excluded.asked_at, counted_at = excluded.counted_at
      returning r.asset, new.differs_since, new.short_since, old.counted_at as before
  )
  select k.asset, f.fault from kept k
    cross join lateral (values ('differ', k.differs_since), ('short', k.short_since)) f(fault, since)
    where f.since <= moment - patience and f.since > k.before - patience
    order by k.asset, f.fault;
end $$;

grant execute on function crypto_reserves_begin, crypto_reserves_count to teller_app;
