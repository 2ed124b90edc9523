CREATE OR REPLACE FUNCTION public.transfer_gate(stage integer, needs_approval boolean, t_kind text, source uuid, type_code text, is_external boolean, OUT status text, OUT due timestamp with time zone)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
  begin
    if stage < 1 and needs_approval then
      status := 'pending_approval';
    elsif stage < 2 and t_kind = 'transfer' and exists (select from account_aml_flags f where f.account_id = source and f.cleared_at is null) then
      status := 'aml_review';
    elsif is_external then
      due := rail_window(type_code, clock_timestamp());
      status := case when due > clock_timestamp() then 'queued' else 'submitted' end;
    else
      status := 'executed';
    end if;
  end $function$;
revoke execute on function transfer_gate from public;

CREATE OR REPLACE FUNCTION public.rail_window(wanted_type text, at timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
  declare t transfer_types; moment timestamptz := at; here timestamp;
  begin
    select * into strict t from transfer_types where code = wanted_type;
    loop
      here := moment at time zone t.cut_off_zone;
      exit when (t.cut_off is null or here::time <= t.cut_off)
        and not (t.business_days_only and (extract(isodow from here) > 5
          or exists (select from bank_holidays h where h.calendar = 'TARGET' and h.day = here::date)));
      moment := (here::date + 1)::timestamp at time zone t.cut_off_zone;
    end loop;
    return moment;
  end $function$;

CREATE OR REPLACE FUNCTION public.value_day(type_code text, moment timestamp with time zone)
 RETURNS date
 LANGUAGE sql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
    select (moment at time zone t.cut_off_zone)::date from transfer_types t where t.code = type_code
  $function$;
revoke execute on function value_day from public;
