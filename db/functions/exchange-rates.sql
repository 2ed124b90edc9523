-- What a currency is worth in another one.

-- Returns the newest rate of one direction at a time, and whether it is stale then.
create or replace function fx_rate_at(wanted_base text, wanted_quote text, at timestamptz)
returns table (
  id uuid, base text, quote text, rate numeric, spread_bps numeric, valid_from timestamptz, stale boolean
)
language sql stable set search_path = public, pg_temp as $$
  select r.id, r.base, r.quote, r.rate, r.spread_bps, r.valid_from,
         coalesce(r.valid_until, r.valid_from + make_interval(secs => s.stale_seconds)) <= at
    from fx_rates r, fx_settings s
    where r.base = wanted_base and r.quote = wanted_quote and r.valid_from <= at
    order by r.valid_from desc, r.id desc limit 1
$$;
grant execute on function fx_rate_at to teller_app;

-- Returns what one unit of an asset is worth in another one at a time, by the newest rate of this direction,
-- otherwise of the other one; null if there is none, or it is stale.
create or replace function fx_leg(source text, target text, at timestamptz) returns numeric
language sql stable set search_path = public, pg_temp as $$
  select case when f.stale then null when f.base = source then f.rate else 1 / f.rate end
    from (select * from fx_rate_at(source, target, at) union all
          select * from fx_rate_at(target, source, at)) f
    order by f.base = source desc limit 1
$$;

-- Returns the most that an amount can be converted to, in minor units, by the rates of now or of a minute
-- ago, when it may have been priced; null if there is no rate. The API prices (domain/exchange.ts): this only
-- bounds what a wrong program could ask for.
create or replace function fx_most(source text, amount numeric, target text) returns numeric
language sql stable set search_path = public, pg_temp as $$
  select max(floor(amount * (1 + 1e-12) * coalesce(fx_leg(source, target, m.at),
               fx_leg(source, s.base_asset, m.at) * fx_leg(s.base_asset, target, m.at))
             * power(10::numeric, t.scale - f.scale)))
    from fx_settings s, assets f, assets t,
         (values (bank_now()), (bank_now() - interval '1 minute')) m(at)
    where s.only_row and f.code = source and t.code = target
$$;
