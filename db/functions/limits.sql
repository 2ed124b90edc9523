-- Limits: what is used of them is looked up and counted in the transaction that holds or books, so that calls
-- at the same moment cannot pass them. Transfers, cards and withdrawals count here; what they limit, and by
-- which rules, they say themselves (see transfer-limits.sql).

-- Locks the counters of these owners until the transaction ends. After accounts, before quotes.
create or replace function limit_lock(owners uuid[]) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(c::text, 7301))
    from (select distinct c from unnest(owners) c order by c) x;
end $$;

-- Returns the first moment at which clocks of a zone show this time or a later one. Where they are put back
-- over midnight, midnight comes twice, and PostgreSQL means the second one.
create or replace function first_moment(local timestamp, zone text) returns timestamptz
language sql immutable as $$
  select case when (m - interval '1 hour') at time zone zone >= local then m - interval '1 hour' else m end
    from (select local at time zone zone) x(m)
$$;
grant execute on function first_moment to teller_app;

-- Returns the day, week (from Monday) or month of a moment: it begins with the first moment and ends before
-- the second one.
create or replace function calendar_period(
  period text, at timestamptz, zone text, out begins timestamptz, out ends timestamptz
) language sql immutable set search_path = public, pg_temp as $$
  select first_moment(l, zone), first_moment(l + ('1 ' || period)::interval, zone)
    from (select date_trunc(period, at at time zone zone)) x(l)
$$;
grant execute on function calendar_period to teller_app;

-- Returns the period that a moment falls in. A period of the calendar begins with its first moment and ends
-- before its second one; a rolling window begins after its first moment and ends with its second one.
create or replace function limit_period(
  period text, at timestamptz, out begins timestamptz, out ends timestamptz
) language plpgsql stable set search_path = public, pg_temp as $$
begin
  if period in ('day', 'week', 'month') then
    select p.begins, p.ends into begins, ends
      from bank_settings b, calendar_period(period, at, b.time_zone) p;
  elsif period = 'ever' then
    begins := '-infinity';
    ends := 'infinity';
  else
    begins := at - case when period = 'transaction' then interval '0'
                        else make_interval(secs => extract(epoch from period::interval)::float8) end;
    ends := at;
  end if;
end $$;
grant execute on function limit_period to teller_app;

-- Returns what is used in the period that a moment falls in. Not stable, so that it sees what the statement
-- that calls it has counted.
create or replace function limit_used(
  counter bigint, period text, at timestamptz, out amount numeric, out uses bigint
) language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare since timestamptz;
begin
  if period = 'ever' then
    select c.amount, c.uses into amount, uses from limit_counters c where c.id = counter;
  elsif period <> 'transaction' then
    -- uses have whole milliseconds
    since := (limit_period(period, date_trunc('milliseconds', at))).begins
      + case when period like 'P%' then interval '1 millisecond' else interval '0' end;
    select c.amount - u.amount_before, c.uses - u.uses_before into amount, uses
      from limit_counters c join limit_uses u on u.counter_id = c.id
      where c.id = counter and u.at >= since order by u.at, u.id limit 1;
  end if;
  amount := coalesce(amount, 0);
  uses := coalesce(uses, 0);
end $$;

-- Returns the first of these rules that one more use would pass, with what is used and what remains; null if
-- there is none. rules: [{ period, name?, amount?, count? }], amounts in minor units as text. A counter that
-- does not exist has used nothing. The caller holds the owner's lock (limit_lock).
create or replace function limit_passed(
  counter bigint, rules jsonb, wanted numeric, unit text, at timestamptz
) returns jsonb
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare rule jsonb; most numeric; most_uses bigint; used record; name_of_unit text;
begin
  select case a.kind when 'fiat' then 'currency' else 'asset' end into name_of_unit
    from assets a where a.code = unit;
  for rule in select r from jsonb_array_elements(rules) with ordinality x(r, n) order by n loop
    most := (rule->>'amount')::numeric;
    most_uses := (rule->>'count')::bigint;
    select u.amount, u.uses into used from limit_used(counter, rule->>'period', at) u;
    if used.amount + wanted > most then
      return jsonb_build_object('period', coalesce(rule->>'name', rule->>'period'),
        name_of_unit, unit, 'amount', decimal_of(most, unit), 'used', decimal_of(used.amount, unit),
        'remaining', decimal_of(trunc(greatest(most - used.amount, 0)), unit));
    elsif used.uses + 1 > most_uses then
      return jsonb_build_object('period', coalesce(rule->>'name', rule->>'period'), 'count', most_uses,
        'used', used.uses, 'remaining', greatest(most_uses - used.uses, 0));
    end if;
  end loop;
  return null;
end $$;

-- Returns the counter of a subject, and whether it was made by this call.
create or replace function limit_counter(
  owner uuid, of_scope text, of_unit text, of_subject text, id_of_subject uuid,
  out counter bigint, out is_new boolean
) language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  select c.id into counter from limit_counters c
    where c.owner_id = owner and c.scope = of_scope and c.unit = of_unit and c.subject = of_subject
      and c.subject_id = id_of_subject;
  is_new := not found;
  if is_new then
    insert into limit_counters (owner_id, scope, unit, subject, subject_id)
      values (owner, of_scope, of_unit, of_subject, id_of_subject) returning id into counter;
  end if;
end $$;

-- Counts one use, or with `counts` 0 more of a use that is counted already. Uses of a counter are in the
-- order of their times, so one after a step back of the clock has the time of the use before it.
create or replace function limit_count(
  counter bigint, source uuid, counted numeric, at timestamptz, counts int default 1
) returns void
language sql set search_path = public, pg_temp as $$
  with total as (
    update limit_counters c
       set amount = c.amount + counted, uses = c.uses + limit_count.counts,
           last_at = greatest(c.last_at, limit_count.at)
     where c.id = counter
     returning c.id, old.amount as amount_before, old.uses as uses_before, new.last_at
  )
  insert into limit_uses (counter_id, at, source_id, amount, amount_before, uses_before, counts)
    select id, last_at, source, counted, amount_before, uses_before, limit_count.counts from total
$$;

-- Makes a use of an amount that was counted as more of another one a use of its own.
create or replace function limit_count_use(counter bigint, source uuid) returns void
language sql set search_path = public, pg_temp as $$
  with made as (
    update limit_uses u set counts = 1 where u.counter_id = counter and u.source_id = source and u.counts = 0
      returning u.counter_id, u.at, u.id
  ), total as (
    update limit_counters c set uses = c.uses + 1 from made m where c.id = m.counter_id
  )
  update limit_uses u set uses_before = u.uses_before + 1 from made m
    where u.counter_id = m.counter_id and (u.at, u.id) > (m.at, m.id)
$$;

-- Counts at once what a counter that has counted nothing has missed, oldest first: however many uses there
-- are, the counter is written once.
create or replace function limit_count_past(
  counter bigint, sources uuid[], amounts numeric[], times timestamptz[], counts int[]
) returns void
language sql set search_path = public, pg_temp as $$
  with past as (
    select u.source_id, u.amount, u.at, u.counts, u.n, sum(u.amount) over (order by u.n) as running,
           sum(u.counts) over (order by u.n) as uses
      from unnest(sources, amounts, times, counts) with ordinality u(source_id, amount, at, counts, n)
  ), written as (
    insert into limit_uses (counter_id, at, source_id, amount, amount_before, uses_before, counts)
      select counter, p.at, p.source_id, p.amount, p.running - p.amount, p.uses - p.counts, p.counts
        from past p order by p.n
  ), total as (
    select sum(p.amount) as amount, sum(p.counts) as uses, max(p.at) as last_at from past p
  )
  update limit_counters c set amount = t.amount, uses = t.uses, last_at = t.last_at
    from total t where c.id = counter and t.last_at is not null
$$;

-- Changes the amount that a source has used, in all its counters and at the time when it was counted; 0 gives
-- all of it back, as if it had not been. Nothing happens if it was not counted, or was given back before. The
-- caller holds the owner's lock.
create or replace function limit_change(source uuid, new_amount numeric) returns void
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  -- a use that is being counted is written before the next statement looks
  perform 1 from limit_counters c
    where c.id in (select u.counter_id from limit_uses u where u.source_id = source) order by c.id for update;
  with given_back as (
    delete from limit_uses u where u.source_id = source and new_amount = 0
      returning u.counter_id, u.at, u.id, - u.amount as by, - u.counts as uses
  ), changed as (
    update limit_uses u set amount = new_amount where u.source_id = source and new_amount > 0
      returning u.counter_id, u.at, u.id, new.amount - old.amount as by, 0 as uses
  ), step as (
    select * from given_back union all select * from changed
  ), total as (
    update limit_counters c set amount = c.amount + s.by, uses = c.uses + s.uses
      from step s where c.id = s.counter_id
  )
  update limit_uses u set amount_before = u.amount_before + s.by, uses_before = u.uses_before + s.uses
    from step s where u.counter_id = s.counter_id and (u.at, u.id) > (s.at, s.id);
end $$;

-- Writes minor units as people do: 1234 EUR is 12.34.
create or replace function decimal_of(minor numeric, asset_code text) returns text
language sql stable set search_path = public, pg_temp as $$
  select round(minor * ('1e-' || a.scale)::numeric, a.scale)::text from assets a where a.code = asset_code
$$;
