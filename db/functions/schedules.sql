-- Days of scheduled transfers.

-- Returns the day of the nth repetition, counted from the first day, so that the 31st comes back after a
-- February.
create or replace function next_occurrence(starts_on date, unit text, every int, nth int) returns date
language sql immutable as $$
  select case unit
    when 'day' then starts_on + nth * every
    when 'week' then starts_on + 7 * nth * every
    when 'month' then (starts_on + make_interval(months => nth * every))::date end
$$;
grant execute on function next_occurrence to teller_app;
