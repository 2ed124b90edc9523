-- Limits: looked up and counted in the transaction that holds or books, so that calls at the same moment
-- cannot pass them.

-- Locks the counters of these customers until the transaction ends.
create or replace function limit_lock(customers uuid[]) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(c::text, 7301))
    from (select distinct c from unnest(customers) c order by c) x;
end $$;

-- Returns the limits of a type that hold for a customer: in each currency and for each subject that of the
-- highest level which the customer has reached. Below every level with a limit, the limit of the lowest level
-- holds, rather than none.
create or replace function limits_in_force(customer uuid, wanted_type text) returns setof transfer_limits
language sql stable as $$
  select distinct on (l.asset, l.subject) l.* from public.transfer_limits l, public.users u
    where u.id = customer and l.type_code = wanted_type
    order by l.asset, l.subject, l.kyc_level <= u.kyc_level desc,
      case when l.kyc_level <= u.kyc_level then -l.kyc_level else l.kyc_level end
$$;
grant execute on function limits_in_force to teller_app;

-- Returns the first limit that the amount would pass: { limit: { subject, period, currency, amount, used,
-- remaining } }, or null.
create or replace function limit_check(
  customer uuid, source uuid, recipient uuid, wanted_type text, wanted_asset text, wanted numeric, today date
) returns jsonb
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare rule transfer_limits; counter limit_usage; period text; most numeric; used numeric;
begin
  for rule in select l.* from limits_in_force(customer, wanted_type) l
    where l.asset = wanted_asset order by l.subject
  loop
    if rule.day is not null or rule.month is not null then
      counter := limit_counter(customer, rule.subject,
        limit_subject(rule.subject, customer, source, recipient), wanted_type, wanted_asset, today);
    end if;
    for period, most, used in values
      ('single', rule.single::numeric, 0::numeric),
      ('day', rule.day::numeric, counter.day_used::numeric),
      ('month', rule.month::numeric, counter.month_used::numeric)
    loop
      if used + wanted > most then
        return jsonb_build_object('limit', jsonb_build_object(
          'subject', rule.subject, 'period', period, 'currency', wanted_asset,
          'amount', decimal_of(most, wanted_asset), 'used', decimal_of(used, wanted_asset),
          'remaining', decimal_of(greatest(most - used, 0), wanted_asset)));
      end if;
    end loop;
  end loop;
  return null;
end $$;

-- Returns what is used up of a limit as of today. A counter that is missing is made from the transfers of its
-- month, so that a limit holds from the moment it is set. The caller holds the customer's lock (limit_lock).
create or replace function limit_counter(
  customer uuid, wanted_subject text, wanted_id uuid, wanted_type text, wanted_asset text, today date
) returns limit_usage
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare counter limit_usage; month date := date_trunc('month', today)::date;
begin
  select * into counter from limit_usage u
    where u.customer_id = customer and u.subject = wanted_subject and u.subject_id = wanted_id
      and u.type_code = wanted_type and u.asset = wanted_asset;
  if not found then
    insert into limit_usage (customer_id, subject, subject_id, type_code, asset, day, day_used, month_used)
      select customer, wanted_subject, wanted_id, wanted_type, wanted_asset, today,
             coalesce(sum(t.amount) filter (where coalesce(t.limit_day, t.created_at::date) = today), 0),
             coalesce(sum(t.amount), 0)
        from transfers t
       where t.customer_id = customer and t.kind = 'transfer'
         and t.type_code = wanted_type and t.asset = wanted_asset
         and coalesce(t.limit_day, t.created_at::date) between month and today
         and t.status not in ('rejected', 'cancelled', 'expired', 'failed', 'returned')
         and limit_subject(wanted_subject, customer, t.source_account_id,
               coalesce(t.beneficiary_id, t.destination_account_id)) = wanted_id
      returning * into counter;
  end if;
  if counter.day < month then counter.month_used := 0; end if;
  if counter.day < today then
    counter.day_used := 0;
    counter.day := today;
  end if;
  return counter;
end $$;

-- Counts an amount, or gives it back (negative) if its day or month is still the counter's. Changes only
-- counters that exist.
create or replace function limit_count(
  customer uuid, source uuid, recipient uuid, wanted_type text, wanted_asset text, counted numeric, today date
) returns void
language sql set search_path = public, pg_temp as $$
  update limit_usage u set
      day = greatest(u.day, today),
      day_used = case
        when u.day = today then greatest(u.day_used + counted, 0)
        when u.day < today then greatest(counted, 0) else u.day_used end,
      month_used = case
        when date_trunc('month', u.day) = date_trunc('month', today) then greatest(u.month_used + counted, 0)
        when u.day < today then greatest(counted, 0) else u.month_used end
    where u.customer_id = customer and u.type_code = wanted_type and u.asset = wanted_asset
      and u.subject_id = limit_subject(u.subject, customer, source, recipient)
$$;

-- Returns the id that a limit of this subject counts by.
create or replace function limit_subject(
  subject text, customer uuid, source uuid, recipient uuid
) returns uuid language sql immutable as $$
  select case subject when 'user' then customer when 'account' then source else recipient end
$$;

-- Writes minor units as people do: 1234 EUR is 12.34.
create or replace function decimal_of(minor numeric, asset_code text) returns text
language sql stable set search_path = public, pg_temp as $$
  select round(minor * ('1e-' || a.scale)::numeric, a.scale)::text from assets a where a.code = asset_code
$$;
