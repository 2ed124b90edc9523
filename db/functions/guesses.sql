-- Guesses at codes: how many may be wrong in an hour, and from where.

-- Counts a guess ahead of looking at it, and returns whether it may be looked at. A device from which a right
-- code has come within a year has a budget of its own, ten an hour. From elsewhere ten come from one network,
-- and thirty from everywhere: strangers use up what is for strangers.
create or replace function claim_guess(person uuid, wanted text, device text, network text)
returns boolean language plpgsql set search_path = public, pg_temp as $$
declare places text[]; p text;
begin
  -- a network that has used up its own uses up nothing of the others
  places := case when exists (select from code_guesses g
      where g.user_id = person and g.place = device and g.purpose in ('login', 'step_up', 'factor')
        and g.proven_at > now() - interval '365 days')
    then array[device] else array[network, 'anywhere'] end;
  foreach p in array places loop
    insert into code_guesses as g (user_id, purpose, place, failures)
      values (person, wanted, p, 1)
      on conflict (user_id, purpose, place) do update set
        failures = case when g.since < now() - interval '1 hour' then 1 else g.failures + 1 end,
        since = case when g.since < now() - interval '1 hour' then now() else g.since end
      where g.failures < (case g.place when 'anywhere' then 30 else 10 end)
         or g.since < now() - interval '1 hour';
    if not found then return false; end if;
  end loop;
  return true;
end $$;
grant execute on function claim_guess to teller_app;

-- A guess was right, so it does not count, and its device is known from now on.
create or replace function refund_guess(person uuid, wanted text, device text, network text)
returns void language plpgsql set search_path = public, pg_temp as $$
begin
  update code_guesses g set failures = g.failures - 1
    where g.user_id = person and g.purpose = wanted and g.failures > 0
      and g.place = any (case when exists (select from code_guesses k
          where k.user_id = person and k.place = device and k.purpose in ('login', 'step_up', 'factor')
            and k.proven_at > now() - interval '365 days')
        then array[device] else array['anywhere', network] end);
  if device is not null then
    insert into code_guesses as g (user_id, purpose, place, failures, proven_at)
      values (person, wanted, device, 0, now())
      on conflict (user_id, purpose, place) do update set proven_at = excluded.proven_at;
  end if;
end $$;
grant execute on function refund_guess to teller_app;
