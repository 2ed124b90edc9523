-- The limits of buying, selling and withdrawing coins, by what they are worth in the base currency. Functions
-- alone write them. What is used is counted as in limits.sql. Each use is counted, also without a limit, so
-- that a limit which is set later knows what was before.

-- Returns the limit of an operation that holds for a customer: that of the highest level which the customer
-- has reached, or else that of the lowest level. Null if the operation has none.
create or replace function crypto_limits_in_force(customer uuid, wanted_operation text) returns crypto_limits
language sql stable set search_path = public, pg_temp as $$
  select l.* from crypto_limits l, users u
    where u.id = customer and l.operation = wanted_operation
    order by l.kyc_level <= u.kyc_level desc,
      case when l.kyc_level <= u.kyc_level then -l.kyc_level else l.kyc_level end
    limit 1
$$;

-- Returns the limit that one more use would pass, as { limit: { subject, period, currency, amount, used,
-- remaining } }, or null. `worth` is in minor units of the base currency and need not be whole. The caller
-- holds the customer's lock (limit_lock).
create or replace function crypto_limit_passed(
  customer uuid, wanted_operation text, worth numeric, at timestamptz
) returns jsonb
language plpgsql set search_path = public, pg_temp as $$
declare most crypto_limits; base text; counter bigint; passed jsonb;
begin
  most := crypto_limits_in_force(customer, wanted_operation);
  select s.base_asset into strict base from fx_settings s;
  select c.id into counter from limit_counters c
    where c.owner_id = customer and c.scope = 'crypto/' || wanted_operation and c.unit = base
      and c.subject = 'user' and c.subject_id = customer;
  passed := limit_passed(counter, jsonb_build_array(
      jsonb_build_object('period', 'PT24H', 'amount', most.day::text),
      jsonb_build_object('period', 'P30D', 'amount', most.month::text)), worth, base, at);
  return case when passed is not null
    then jsonb_build_object('limit', jsonb_build_object('subject', 'user') || passed) end;
end $$;

-- Counts a use, whether or not there is a limit. limit_change(source, 0) gives it back. The caller holds the
-- customer's lock (limit_lock).
create or replace function crypto_limit_count(
  customer uuid, wanted_operation text, source uuid, worth numeric, at timestamptz
) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  perform limit_count(c.counter, source, worth, at) from fx_settings s,
    limit_counter(customer, 'crypto/' || wanted_operation, s.base_asset, 'user', customer) c;
end $$;

-- Limits an operation by these rows and by no other: [{ kyc_level, day, month }], amounts as text.
create or replace function crypto_limits_set(wanted_operation text, actor uuid, wanted jsonb) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform require_action(actor, 'crypto:write');
  delete from crypto_limits l where l.operation = wanted_operation;
  insert into crypto_limits (operation, kyc_level, day, month)
    select wanted_operation, w.kyc_level, w.day, w.month
      from jsonb_to_recordset(wanted) w(kyc_level smallint, day minor, month minor);
end $$;

grant execute on function crypto_limits_set to teller_app;
