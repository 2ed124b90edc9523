-- The limits of transfers, by type, currency and level of the customer.

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

-- Returns the advisory lock of a type's limits. Orders share it, and whoever sets a limit has it alone: so a
-- payment that was taken without a limit is there to be counted when the first one with it is looked at.
create or replace function transfer_type_lock(type_code text) returns bigint
language sql immutable as $$ select hashtextextended(type_code, 7305) $$;
grant execute on function transfer_type_lock to teller_app;

-- Makes whoever sets a limit wait for the orders of its type that are under way.
create or replace function lock_transfer_type() returns trigger
language plpgsql set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(transfer_type_lock(new.type_code));
  return new;
end $$;
create or replace trigger transfer_limits_wait before insert or update on transfer_limits
  for each row execute function lock_transfer_type();

-- Returns the id that a limit of this subject counts by.
create or replace function limit_subject(
  subject text, customer uuid, source uuid, recipient uuid
) returns uuid language sql immutable as $$
  select case subject when 'user' then customer when 'account' then source else recipient end
$$;

-- Returns the first limit that a transfer would pass, as { limit: { subject, period, currency, amount, used,
-- remaining } }, or null. The caller holds the customer's lock (limit_lock).
create or replace function transfer_limit_passed(t transfers, at timestamptz) returns jsonb
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare rule transfer_limits; passed jsonb;
begin
  for rule in select l.* from limits_in_force(t.customer_id, t.type_code) l
    where l.asset = t.asset order by l.subject
  loop
    passed := limit_passed(
      case when rule.day is not null or rule.month is not null
        then transfer_counter(t, rule.subject, at) end,
      jsonb_build_array(
        jsonb_build_object('period', 'transaction', 'name', 'single', 'amount', rule.single::text),
        jsonb_build_object('period', 'day', 'amount', rule.day::text),
        jsonb_build_object('period', 'month', 'amount', rule.month::text)),
      t.amount, t.asset, at);
    if passed is not null then
      return jsonb_build_object('limit', jsonb_build_object('subject', rule.subject) || passed);
    end if;
  end loop;
  return null;
end $$;

-- Returns the transfers of a subject that count from a moment on: those that have not ended without the money
-- having gone. Each subject is looked up by an index of its own (transfers_customer, transfers_source,
-- transfers_recipients), because a customer may have paid many others for years.
create or replace function transfers_counted(
  of_subject text, wanted uuid, t transfers, since timestamptz
) returns setof transfers
language sql stable set search_path = public, pg_temp as $$
  select x.* from (
    select u.* from transfers u where of_subject = 'user' and u.customer_id = wanted
    union all
    select a.* from transfers a where of_subject = 'account' and a.source_account_id = wanted
    union all
    select r.* from transfers r
     where of_subject = 'recipient' and r.customer_id = t.customer_id and r.kind = 'transfer'
       and coalesce(r.beneficiary_id, r.destination_account_id) = wanted
       and r.status not in ('rejected', 'cancelled', 'expired', 'failed')) x
   where x.customer_id = t.customer_id and x.kind = 'transfer' and x.type_code = t.type_code
     and x.asset = t.asset and x.created_at >= since
     and not transfer_is_unspent(x.status)
$$;

-- Returns the counter of a transfer's subject. One that is missing is made from the transfers of its month,
-- so that a limit holds from the moment it is set, and after an upgrade from a release without counters.
create or replace function transfer_counter(t transfers, of_subject text, at timestamptz) returns bigint
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  made record; since timestamptz;
  wanted uuid := limit_subject(of_subject, t.customer_id, t.source_account_id,
    coalesce(t.beneficiary_id, t.destination_account_id));
begin
  select * into made
    from limit_counter(t.customer_id, 'transfer/' || t.type_code, t.asset, of_subject, wanted);
  if made.is_new then
    since := (select p.begins from limit_period('month', at) p);
    perform limit_count_past(made.counter, array_agg(x.id order by x.created_at, x.id),
        array_agg(x.amount::numeric order by x.created_at, x.id),
        array_agg(x.created_at order by x.created_at, x.id), array_fill(1, array[count(*)::int]))
      from transfers_counted(of_subject, wanted, t, since) x;
  end if;
  return made.counter;
end $$;

-- Counts a transfer in the counters that exist, at the moment at which it was made: there a counter that is
-- made later finds it too.
create or replace function transfer_limit_count(t transfers, at timestamptz) returns void
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  -- each subject looked up by itself: a customer may have a counter for every payee ever paid
  perform limit_count(c.id, t.id, t.amount, at)
    from unnest(array['account', 'recipient', 'user']) s(subject), lateral (
      select l.id from limit_counters l
       where l.owner_id = t.customer_id and l.scope = 'transfer/' || t.type_code and l.unit = t.asset
         and l.subject = s.subject and l.subject_id = limit_subject(s.subject, t.customer_id,
               t.source_account_id, coalesce(t.beneficiary_id, t.destination_account_id)) offset 0) c
   order by c.id;
end $$;

-- Gives back what a transfer has used, if it has ended without the money having gone.
create or replace function transfer_limit_give_back(t transfers) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  perform limit_lock(array[t.customer_id]);
  perform limit_change(t.id, 0);
end $$;

-- Returns whether a transfer passes a limit as limits are now: one may have been lowered, or the customer's
-- level, since it was counted in the day and the month in which it was made. The caller holds the customer's
-- lock (limit_lock).
create or replace function transfer_limit_lowered(t transfers) returns boolean
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare limit_now transfer_limits; counter bigint; used numeric; period record;
begin
  for limit_now in select f.* from limits_in_force(t.customer_id, t.type_code) f where f.asset = t.asset loop
    if t.amount > limit_now.single then return true; end if;
    continue when coalesce(limit_now.day, limit_now.month) is null;
    counter := transfer_counter(t, limit_now.subject, t.created_at);
    for period in select p.name, p.most, c.ends
        from (values ('day', limit_now.day), ('month', limit_now.month)) p(name, most),
          lateral limit_period(p.name, t.created_at) c
    loop
      -- what was used after the period is not of it
      select since.amount - after.amount into used from limit_used(counter, period.name, t.created_at) since,
        limit_used(counter, period.name, period.ends) after;
      if used > period.most then return true; end if;
    end loop;
  end loop;
  return false;
end $$;
