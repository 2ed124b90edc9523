-- Fees of card payments, which are held with them: of cash, and of payments in another currency.

-- Returns what a version of a fee rule costs for an amount, as domain/pricing/fees.ts calculates it: exactly,
-- and rounded once, half to even.
create or replace function fee_of_version(v fee_rule_versions, amount numeric) returns numeric
language sql immutable set search_path = public, pg_temp as $$
  with tier as (
    select t.above, t.flat, t.bps, lead(t.above) over (order by t.above) as next from (
      select 0::numeric as above, v.flat::numeric as flat, v.rate_bps::numeric as bps
      union all
      select (x->>'above')::numeric, (x->>'flat')::numeric, (x->>'rate_bps')::numeric
        from jsonb_array_elements(v.tiers) x) t
  ), exact as (
    select case v.tier_mode
        when 'slab' then (select s.flat + amount * s.bps * 0.0001 from tier s
          where s.above = 0 or amount > s.above order by s.above desc limit 1)
        else (select sum(g.flat + (least(amount, g.next) - g.above) * g.bps * 0.0001) from tier g
          where g.above = 0 or amount > g.above) end as fee
  ), rounded as (
    select round(fee) - case when fee - trunc(fee) = 0.5 and mod(trunc(fee), 2) = 0 then 1 else 0 end as fee
      from exact
  )
  select least(greatest(fee, v.minimum::numeric), v.maximum::numeric) from rounded
$$;

-- Returns the fees that a card payment costs for this amount, of rules of this purpose. Of the rules of one
-- code the first counts: by priority, then the one that names the type of the account, then the newer one.
create or replace function card_fee(p card_payments, wanted text, amount numeric) returns numeric
language plpgsql stable set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return (select coalesce(sum(fee_of_version(f.version, amount)), 0) from (
    select distinct on (r.code) v.version from fee_rules r
      cross join lateral (select n as version from fee_rule_versions n
        where n.rule_id = r.id and n.valid_from <= bank_now() order by n.version desc limit 1) v
      join accounts a on a.id = p.account_id
      where r.asset = p.asset and r.purpose = wanted and (v.version).enabled
        and ((v.version).valid_to is null or (v.version).valid_to > bank_now())
        and ((v.version).account_type_id is null or (v.version).account_type_id = a.account_type_id)
      order by r.code, (v.version).priority desc, (v.version).account_type_id is not null desc, r.id desc) f);
end $$;
