-- The hours in which people of the bank work.

-- Returns how many business hours a day has.
create or replace function business_hours_a_day() returns numeric
language sql stable set search_path = public, pg_temp as $$
  select extract(epoch from (w[2]::time - w[1]::time)) / 3600
    from bank_settings b, regexp_match(b.business_hours, '(\d\d:\d\d)-(\d\d:\d\d)$') w
$$;

-- Returns the moment at which so many business hours have passed: those of bank_settings, on weekdays in the
-- bank's time zone, without holidays of the bank's country and of TARGET.
create or replace function business_due(at timestamptz, hours numeric) returns timestamptz
language plpgsql stable set search_path = public, pg_temp as $$
declare
  s bank_settings; words text[]; today date; opens timestamptz; open_for interval;
  days constant text[] := array['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
  remaining interval := make_interval(secs => (hours * 3600)::float8);
begin
  select * into strict s from bank_settings;
  words := regexp_match(s.business_hours, '^(\w{3})-(\w{3}) (\d\d:\d\d)-(\d\d:\d\d)$');
  today := (at at time zone s.time_zone)::date;
  loop
    if extract(isodow from today) between array_position(days, words[1]) and array_position(days, words[2])
       and not exists (select from bank_holidays h
         where h.day = today and h.calendar in ('TARGET', s.country)) then
      opens := greatest(at, first_moment(today + words[3]::time, s.time_zone));
      open_for := first_moment(today + words[4]::time, s.time_zone) - opens;
      if open_for >= remaining then return opens + remaining; end if;
      remaining := remaining - greatest(open_for, interval '0');
    end if;
    today := today + 1;
  end loop;
end $$;
grant execute on function business_due to teller_app;

-- Returns when a flag of this severity is due.
create or replace function aml_due(severity text, at timestamptz) returns timestamptz
language sql stable set search_path = public, pg_temp as $$
  select business_due(at, case severity when 'critical' then 4 when 'high' then 8 when 'medium' then 24
    else 80 end)
$$;
