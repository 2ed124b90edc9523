-- What a transfer has to pass before it is booked, and the days and times of the rail.

-- Returns whether a transfer in this status has its money held, and is not booked yet. The domain knows it
-- too (domain/transfers/transfers.ts); a test compares the two.
create or replace function transfer_is_held(status text) returns boolean
language sql immutable as $$ select status in ('pending_approval', 'aml_review', 'queued') $$;

-- Returns the status of a transfer that has passed so many gates: 1 the approval, 2 the screening, 3 the
-- rail's window. Screening asks whether the account is flagged; more rules come in here.
create or replace function transfer_gate(
  stage int, needs_approval boolean, t_kind text, source uuid, type_code text, is_external boolean,
  out status text, out due timestamptz
) language plpgsql volatile set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan as $$
begin
  if stage < 1 and needs_approval then
    status := 'pending_approval';
  elsif stage < 2 and t_kind = 'transfer'
     and exists (select from account_aml_flags f where f.account_id = source and f.cleared_at is null) then
    status := 'aml_review';
  elsif is_external then
    due := rail_window(type_code, clock_timestamp());
    status := case when due > clock_timestamp() then 'queued' else 'submitted' end;
  else
    status := 'executed';
  end if;
end $$;

-- Returns the first moment from 'at' on at which the rail takes transfers of this type.
create or replace function rail_window(wanted_type text, at timestamptz) returns timestamptz
language plpgsql stable set search_path = public, pg_temp as $$
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
end $$;

-- Returns the day from which a transfer counts that is carried out now: the bank's, whatever its type.
create or replace function value_day(type_code text, moment timestamptz) returns date
language sql volatile set search_path = public, pg_temp as $$ select bank_day(bank_now()) $$;
