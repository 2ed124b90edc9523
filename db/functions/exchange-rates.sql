CREATE OR REPLACE FUNCTION public.fx_rate_at(wanted_base text, wanted_quote text, at timestamp with time zone)
 RETURNS TABLE(id uuid, base text, quote text, rate numeric, spread_bps numeric, valid_from timestamp with time zone, stale boolean)
 LANGUAGE sql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
    select r.id, r.base, r.quote, r.rate, r.spread_bps, r.valid_from,
           coalesce(r.valid_until, r.valid_from + make_interval(secs => s.stale_seconds)) <= at
      from fx_rates r, fx_settings s
      where r.base = wanted_base and r.quote = wanted_quote and r.valid_from <= at
      order by r.valid_from desc, r.id desc limit 1
  $function$;
revoke execute on function fx_rate_at from public;
grant execute on function fx_rate_at to teller_app;
