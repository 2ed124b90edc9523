-- Money or coins set aside on a customer's account for a source: a transfer that waits, a card payment, an
-- order of coins. A source has one hold. While it is open it grows, shrinks and is captured in parts. It ends
-- for ever when it is captured finally; one that was released or has expired can be opened again by a change.
-- These functions are called by those of the sources, which say who may; the application cannot call them.
-- Each locks the account before the hold, as all that moves money does.

-- Holds so much more of an account's money, or less (negative). What must be held passes the balance, a block
-- and a freeze. Returns why the account refuses, or null.
create or replace function hold_more(target uuid, more numeric, must boolean) returns text
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare a accounts; refusal text;
begin
  if more = 0 then return null; end if;
  if more < 0 and not must then
    update accounts x set held = x.held + more where x.id = target and x.kind <> 'house';
    return case when not found then 'not_found' end;
  end if;
  select * into a from accounts x where x.id = target and x.kind <> 'house' for no key update;
  refusal := case
    when a.id is null then 'not_found'
    when more < 0 then null
    when a.status = 'closed' then 'account_closed'
    when must then null
    when a.status <> 'open' then 'account_blocked'
    when a.kind = 'coin' and exists (select from crypto_assets c where c.asset = a.asset and c.debits_stopped)
      then 'debits_stopped'
    when a.posted - a.held + a.overdraft_limit < more then 'insufficient_funds' end;
  if refusal is null then
    update accounts x set held = x.held + more,
        unarranged = case when must then greatest(x.unarranged,
          shortfall(x.posted, x.held + more, x.overdraft_limit)) else x.unarranged end
      where x.id = target;
  end if;
  return refusal;
end $$;

-- Returns what a hold still holds.
create or replace function hold_left(h holds) returns numeric
language sql immutable as $$ select case h.status when 'open' then h.amount - h.captured else 0 end $$;

-- Locks a hold and its account until the transaction ends.
create or replace function hold_lock(hold uuid) returns holds
language plpgsql set search_path = public, pg_temp as $$
declare h holds;
begin
  perform 1 from accounts a where a.id = (select x.account_id from holds x where x.id = hold)
    for no key update;
  select * into strict h from holds x where x.id = hold for update;
  return h;
end $$;

-- Opens the hold of a source; until null is for ever. A repeat returns the hold that is there, as it is.
create or replace function hold_open(
  for_type text, for_id uuid, target uuid, wanted_asset text, wanted numeric, until timestamptz, must boolean,
  out hold_id uuid, out refusal text
) language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare asset_of text;
begin
  if must then perform require_source_right(for_type, 'hold', 'must_book'); end if;
  select a.asset into asset_of from accounts a where a.id = target for no key update;
  select h.id into hold_id from holds h where h.source_type = for_type and h.source_id = for_id;
  if hold_id is not null then return; end if;
  refusal := case when asset_of <> wanted_asset then 'currency_mismatch'
    else hold_more(target, wanted, must) end;
  if refusal is null then
    insert into holds (account_id, amount, source_type, source_id, created_at, expires_at)
      values (target, wanted, for_type, for_id, bank_now(), until) returning id into hold_id;
  end if;
end $$;

-- Lets go of all that a hold holds, which the caller has locked with its account.
create or replace function hold_let_go(h holds) returns void
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  if h.status <> 'open' then return; end if;
  perform hold_more(h.account_id, -hold_left(h), false);
  update holds x set status = 'released', resolved_at = bank_now() where x.id = h.id;
end $$;

-- Makes a hold hold so much from now on, and until then. Returns why not, or null.
create or replace function hold_change(hold uuid, wanted numeric, until timestamptz, must boolean)
returns text
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare h holds := hold_lock(hold); refusal text;
begin
  if must then perform require_source_right(h.source_type, 'hold', 'must_book'); end if;
  if h.status = 'captured' then return 'hold_captured'; end if;
  if wanted = 0 then
    perform hold_let_go(h);
    return null;
  end if;
  refusal := hold_more(h.account_id, wanted - hold_left(h), must);
  if refusal is null then
    update holds x set status = 'open', amount = x.captured + wanted, expires_at = until,
        resolved_at = null
      where x.id = hold;
  end if;
  return refusal;
end $$;

-- Lets go of all that a hold still holds.
create or replace function hold_release(hold uuid) returns void
language sql set search_path = public, pg_temp as $$ select hold_let_go(hold_lock(hold)) $$;

-- Posts a command of ledger_post out of the money that is held, in part, in full, or, if its source may, for
-- more than is held; a final one lets go of the rest. Returns the ledger's verdict, or 'hold_exceeded';
-- unless it is 'posted', everything is as it was.
create or replace function hold_capture(hold uuid, command jsonb, final boolean) returns text
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  touched uuid[] := ledger_accounts(jsonb_build_array(command));
  must boolean := coalesce(command->'must' = 'true', false);
  h holds; debit numeric; taken numeric; freed numeric; verdict text;
begin
  perform 1 from accounts a where a.id = any (touched) order by a.id for no key update;
  h := hold_lock(hold);
  select -sum((e->>'amount')::numeric) into debit from jsonb_array_elements(command->'entries') e
    where (e->>'account')::uuid = h.account_id;
  if (debit > 0) is not true then
    raise exception 'what captures hold % takes nothing from its account', hold;
  end if;
  taken := least(debit, hold_left(h));
  verdict := case
    when exists (select from ledger_transactions t where t.source_type = command->>'source_type'
      and t.source_id = (command->>'source_id')::uuid and t.kind = command->>'kind') then 'duplicate'
    when debit > taken and not source_may(command->>'source_type', command->>'kind', 'exceed_hold')
      then 'hold_exceeded' end;
  if verdict is not null then return verdict; end if;
  freed := case when final then hold_left(h) else taken end;
  -- what must be booked needs no room, and an account that is below its limit stays so without a break
  if not must then perform hold_more(h.account_id, -freed, false); end if;
  select p.verdict into verdict from ledger_post(jsonb_build_array(command)) p;
  if verdict <> 'posted' then
    if not must then perform hold_more(h.account_id, freed, true); end if;
    return verdict;
  end if;
  if must then perform hold_more(h.account_id, -freed, false); end if;
  if h.status = 'open' then
    update holds x set captured = x.captured + taken,
        status = case when final then 'captured' else 'open' end,
        resolved_at = case when final then bank_now() end
      where x.id = hold;
  end if;
  return verdict;
end $$;

-- Ends these holds, whose accounts the caller has locked; those that somebody has ended or put off meanwhile
-- are left. Returns how many have ended.
create or replace function holds_end(wanted uuid[], at_time timestamptz) returns int
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare done int;
begin
  with ended as (
    update holds h set status = 'expired', resolved_at = at_time
      where h.id = any (wanted) and h.status = 'open' and h.expires_at <= at_time
      returning h.account_id, h.amount - h.captured as rest
  ), freed as (
    update accounts a set held = a.held - e.rest
      from (select account_id, sum(rest) as rest from ended group by account_id) e
      where a.id = e.account_id
  )
  select count(*) into done from ended;
  delete from refused_expiries r where r.hold_id = any (wanted);
  return done;
end $$;

-- Ends the next holds whose time is over. Accounts that somebody works on are left for the next round, so
-- rounds neither wait nor meet. Holds end together; if one of them cannot, each ends by itself, and the one
-- that the books refuse is written down and put off: two seconds, four, eight, at most an hour. Those come
-- after all that were never refused, a few in each round. Returns how many have ended, and what was refused:
-- [{ hold, account, source_type, source_id, failure, attempts }].
create or replace function holds_end_due(most int, out ended int, out refused jsonb)
language plpgsql security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
declare at_time timestamptz(3) := bank_now(); due uuid[]; one uuid; why text;
begin
  ended := 0;
  refused := '[]';
  delete from refused_expiries r where r.due_at <= at_time and not exists (select from holds h
    where h.id = r.hold_id and h.status = 'open' and h.expires_at <= at_time);
  -- what nobody works on, so that no lock is waited for, in whichever order they are taken
  due := array(select h.id from holds h join accounts a on a.id = h.account_id
    where h.status = 'open' and h.expires_at <= at_time
      and not exists (select from refused_expiries r where r.hold_id = h.id)
    order by h.expires_at limit most for no key update of h, a skip locked);
  due := due || array(select h.id from refused_expiries r
      join holds h on h.id = r.hold_id join accounts a on a.id = h.account_id
    where r.due_at <= at_time
    order by r.due_at limit 10 for no key update of h, a skip locked);
  begin
    ended := holds_end(due, at_time);
    return;
  exception when others then
    -- what was locked stays locked
    null;
  end;
  foreach one in array due loop
    begin
      ended := ended + holds_end(array[one], at_time);
    exception when others then
      get stacked diagnostics why = message_text;
      insert into refused_expiries as r (hold_id, failure, due_at)
          values (one, left(why, 500), next_attempt(1))
        on conflict (hold_id) do update set failure = excluded.failure, attempts = r.attempts + 1,
          last_at = at_time, due_at = next_attempt(r.attempts + 1);
      refused := refused || (select jsonb_build_object('hold', h.id, 'account', h.account_id,
          'source_type', h.source_type, 'source_id', h.source_id, 'failure', r.failure,
          'attempts', r.attempts)
        from refused_expiries r join holds h on h.id = r.hold_id where r.hold_id = one);
    end;
  end loop;
end $$;
grant execute on function holds_end_due to teller_app;

-- Called by workers of the release before.
create or replace function holds_expire(most int) returns int
language sql security definer set search_path = public, pg_temp as $$
  select ended from holds_end_due(most)
$$;
grant execute on function holds_expire to teller_app;

-- Refuses to rewrite what a hold is for, to take back what was captured, and every change after the end, but
-- to open one again that was released or has expired.
create or replace function check_hold_change() returns trigger language plpgsql as $$
begin
  if (new.id, new.account_id, new.source_type, new.source_id, new.created_at)
       is distinct from (old.id, old.account_id, old.source_type, old.source_id, old.created_at)
     or new.captured < old.captured or old.status = 'captured'
     or (old.status <> 'open' and new.status <> 'open') then
    raise exception 'hold % is resolved', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger holds_change before update on holds
  for each row execute function check_hold_change();
