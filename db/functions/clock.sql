-- The bank's clock and its days, and the guards that stop posting while the clock cannot be trusted.

-- Returns the time of this machine, to the millisecond. Each call reads the clock anew. What happens in the
-- business is dated by bank_now() instead, which a migration defines because columns are filled in from it.
create or replace function machine_now() returns timestamptz
language sql volatile as $$ select date_trunc('milliseconds', clock_timestamp()) $$;
grant execute on function machine_now to teller_app;

-- Returns the bank's day of a moment, in its own time zone.
create or replace function bank_day(moment timestamptz) returns date
language sql stable set search_path = public, pg_temp as $$
  select (moment at time zone b.time_zone)::date from bank_settings b
$$;
grant execute on function bank_day to teller_app;

-- Returns how far NTP may put the clock back at once without stopping the bank.
create or replace function clock_step() returns interval
language sql immutable as $$ select interval '1 second' $$;
grant execute on function clock_step to teller_app;

-- Refuses the statement if the clock of the machine that sends it and the one here are too far apart: one of
-- them has jumped, and nobody here knows which. Every statement that posts names it beside the function that
-- it calls, so that nothing is written if either refuses.
create or replace function clock_check(clock_of_caller timestamptz) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  -- waiting for locks is no difference between clocks
  waited interval := clock_timestamp() - statement_timestamp();
  ahead numeric := extract(epoch from machine_now() - waited - clock_of_caller);
begin
  if abs(ahead) > (select b.clock_tolerance_seconds from bank_settings b) then
    raise exception 'the clock of the database is % s ahead of the clock of the service', round(ahead, 1)
      using errcode = '57T01';
  end if;
end $$;
grant execute on function clock_check to teller_app;

-- Returns the time at which the next entry is booked in accounts whose newest entry is of 'latest'. Entries
-- of an account are in the order of their times, so after a small step back of the clock it waits until the
-- clock is there again. What is further ahead was booked while the clock was wrong: to go on from it would
-- carry the wrong time to every account that these ones deal with.
create or replace function booking_time(latest timestamptz) returns timestamptz
language plpgsql set search_path = public, pg_temp as $$
declare ahead interval := latest - bank_now();
begin
  if ahead > clock_step() then
    raise exception 'an account was last booked at %, which is ahead of the clock', latest
      using errcode = '57T02';
  elsif ahead > interval '0' then
    perform pg_sleep_for(ahead);
  end if;
  return greatest(bank_now(), latest);
end $$;

-- Moves the bank's clock forward and returns by how many seconds it is ahead of the machine's since then. The
-- offset is written into bank_now() itself, so that reading the clock costs the same whether it was moved or
-- not; what was planned with the former text is planned anew.
create or replace function clock_advance(seconds integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare ahead integer;
begin
  if seconds <= 0 then raise exception 'the clock is moved forward only' using errcode = '22023'; end if;
  update bank_settings b set clock_ahead_seconds = b.clock_ahead_seconds + seconds
    returning b.clock_ahead_seconds into ahead;
  execute format('create or replace function bank_now() returns timestamptz language sql volatile as %L',
    format('select date_trunc(''milliseconds'', clock_timestamp()) + interval ''%s seconds''', ahead));
  perform pg_notify('teller_clock', ahead::text);
  return ahead;
end $$;
grant execute on function clock_advance to teller_app;

-- Returns when something is tried again that has failed so often: after two seconds, four, eight, at most an
-- hour.
create or replace function next_attempt(attempts integer) returns timestamptz
language sql volatile set search_path = public, pg_temp as $$
  select bank_now() + make_interval(secs => least(3600, power(2, least(attempts, 12))))
$$;
grant execute on function next_attempt to teller_app;
