CREATE OR REPLACE FUNCTION public.limit_lock(customers uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
  begin
    perform pg_advisory_xact_lock(hashtextextended(c::text, 7301)) from (select distinct c from unnest(customers) c order by c) x;
  end $function$;
revoke execute on function limit_lock from public;

CREATE OR REPLACE FUNCTION public.limit_check(customer uuid, source uuid, recipient uuid, wanted_type text, wanted_asset text, wanted numeric, today date)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
  declare rule transfer_limits; counter limit_usage; period text; most numeric; used numeric;
  begin
    for rule in select distinct on (l.subject) l.* from transfer_limits l, users u
      where u.id = customer and l.type_code = wanted_type and l.asset = wanted_asset
      order by l.subject, l.kyc_level <= u.kyc_level desc, case when l.kyc_level <= u.kyc_level then -l.kyc_level else l.kyc_level end
    loop
      if rule.day is not null or rule.month is not null then
        counter := limit_counter(customer, rule.subject, limit_subject(rule.subject, customer, source, recipient), wanted_type, wanted_asset, today);
      end if;
      for period, most, used in values ('single', rule.single::numeric, 0::numeric), ('day', rule.day::numeric, counter.day_used::numeric),
                                       ('month', rule.month::numeric, counter.month_used::numeric)
      loop
        if used + wanted > most then
          return jsonb_build_object('limit', jsonb_build_object('subject', rule.subject, 'period', period, 'currency', wanted_asset,
            'amount', decimal_of(most, wanted_asset), 'used', decimal_of(used, wanted_asset),
            'remaining', decimal_of(greatest(most - used, 0), wanted_asset)));
        end if;
      end loop;
    end loop;
    return null;
  end $function$;
revoke execute on function limit_check from public;

CREATE OR REPLACE FUNCTION public.limit_counter(customer uuid, wanted_subject text, wanted_id uuid, wanted_type text, wanted_asset text, today date)
 RETURNS limit_usage
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
  declare counter limit_usage; month date := date_trunc('month', today)::date;
  begin
    select * into counter from limit_usage u where u.customer_id = customer and u.subject = wanted_subject and u.subject_id = wanted_id
      and u.type_code = wanted_type and u.asset = wanted_asset;
    if not found then
      insert into limit_usage (customer_id, subject, subject_id, type_code, asset, day, day_used, month_used)
        select customer, wanted_subject, wanted_id, wanted_type, wanted_asset, today,
               coalesce(sum(t.amount) filter (where coalesce(t.limit_day, t.created_at::date) = today), 0), coalesce(sum(t.amount), 0)
          from transfers t
         where t.customer_id = customer and t.kind = 'transfer' and t.type_code = wanted_type and t.asset = wanted_asset
           and coalesce(t.limit_day, t.created_at::date) between month and today
           and t.status not in ('rejected', 'cancelled', 'expired', 'failed', 'returned')
           and limit_subject(wanted_subject, customer, t.source_account_id, coalesce(t.beneficiary_id, t.destination_account_id)) = wanted_id
        returning * into counter;
    end if;
    if counter.day < month then counter.month_used := 0; end if;
    if counter.day < today then
      counter.day_used := 0;
      counter.day := today;
    end if;
    return counter;
  end $function$;
revoke execute on function limit_counter from public;

CREATE OR REPLACE FUNCTION public.limit_count(customer uuid, source uuid, recipient uuid, wanted_type text, wanted_asset text, counted numeric, today date)
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'public', 'pg_temp'
AS $function$
    update limit_usage u set
        day = greatest(u.day, today),
        day_used = case when u.day = today then greatest(u.day_used + counted, 0) when u.day < today then greatest(counted, 0) else u.day_used end,
        month_used = case
          when date_trunc('month', u.day) = date_trunc('month', today) then greatest(u.month_used + counted, 0)
          when u.day < today then greatest(counted, 0) else u.month_used end
      where u.customer_id = customer and u.type_code = wanted_type and u.asset = wanted_asset
        and u.subject_id = limit_subject(u.subject, customer, source, recipient)
  $function$;
revoke execute on function limit_count from public;

CREATE OR REPLACE FUNCTION public.limit_subject(subject text, customer uuid, source uuid, recipient uuid)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE
AS $function$
    select case subject when 'user' then customer when 'account' then source else recipient end
  $function$;

CREATE OR REPLACE FUNCTION public.decimal_of(minor numeric, asset_code text)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
    select round(minor * ('1e-' || a.scale)::numeric, a.scale)::text from assets a where a.code = asset_code
  $function$;
