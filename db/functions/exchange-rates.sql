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
