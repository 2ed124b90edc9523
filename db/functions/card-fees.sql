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

-- Returns what is charged now for a purpose of cards: of the rules of one code the first one, by priority,
-- then the one that names the product, then the one that names the type of the account, then the newer one.
-- Without a type of account it is what every account pays.
create or replace function card_fee_rules(wanted text, of_asset text, of_type uuid, of_product uuid)
returns setof fee_rule_versions
language plpgsql stable set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return query select (f.version).* from (
    select distinct on (r.code) v.version from fee_rules r
      cross join lateral (select n as version from fee_rule_versions n
        where n.rule_id = r.id and n.valid_from <= bank_now() order by n.version desc limit 1) v
      where r.asset = of_asset and r.purpose = wanted and (v.version).enabled
        and ((v.version).valid_to is null or (v.version).valid_to > bank_now())
        and ((v.version).account_type_id is null or (v.version).account_type_id = of_type)
        and ((v.version).card_product_id is null or (v.version).card_product_id = of_product)
      order by r.code, (v.version).priority desc, (v.version).card_product_id is not null desc,
               (v.version).account_type_id is not null desc, r.id desc) f;
end $$;
grant execute on function card_fee_rules to teller_app;

-- Returns the fees that a card payment costs for this amount, of rules of this purpose.
create or replace function card_fee(p card_payments, wanted text, amount numeric) returns numeric
language plpgsql stable set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return (select coalesce(sum(fee_of_version(f, amount)), 0)
    from accounts a join cards c on c.id = p.card_id
    cross join lateral card_fee_rules(wanted, p.asset, a.account_type_id, c.product_id) f
    where a.id = p.account_id);
end $$;

-- Writes what a new card costs as due: what issuing one costs, or replacing one that was lost, stolen or
-- damaged. A renewal costs nothing. The process of the card charges the fees.
create or replace function card_owe_fees(c cards) returns void
language plpgsql set search_path = public, pg_temp as $$
declare wanted text;
begin
  wanted := case
    when c.replaces is null then 'card_issue'
    when exists (select from cards o
        where o.id = c.replaces and (o.status = 'closed' or o.damaged_at is not null))
      then 'card_replacement' end;
  insert into account_fees (id, account_id, month, purpose, card_id, rule_id, rule_version, asset, amount,
      description)
    select name_uuid('account_fee/card/' || c.id || '/' || f.rule_id), a.id,
           date_trunc('month', bank_day(bank_now())::timestamp)::date, wanted, c.id, f.rule_id, f.version,
           a.asset, f.flat, f.description
      from accounts a cross join lateral card_fee_rules(wanted, a.asset, a.account_type_id, c.product_id) f
      where a.id = c.account_id and f.flat > 0;
end $$;
