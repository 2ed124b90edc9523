-- The one door through which entries are written: many ledger transactions in one round trip, each with its
-- own verdict.

-- Returns the house account of a role and an asset, and opens it on first use. The balance of a house account
-- is never checked, but one row would be a lock for which every transfer queues; so each role and asset has
-- sixteen rows, chosen by the transaction's id.
create or replace function house_account(wanted_role text, wanted_asset text, spread_by uuid) returns uuid
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  -- a hash may be the one integer that has no absolute value among the integers, so it is widened first
  wanted_shard smallint := abs(hashtext(spread_by::text)::bigint) % 16;
  found_id uuid;
begin
  select id into found_id from accounts
    where role = wanted_role and asset = wanted_asset and shard = wanted_shard;
  if found_id is null then
    insert into accounts (kind, role, asset, shard) values ('house', wanted_role, wanted_asset, wanted_shard)
      on conflict (role, asset, shard) do nothing;
    select id into strict found_id from accounts
      where role = wanted_role and asset = wanted_asset and shard = wanted_shard;
  end if;
  return found_id;
end $$;
grant execute on function house_account to teller_app;

-- Posts ledger transactions.
--
-- commands: [{ id, kind, source_type, source_id, value_date?, description?, metadata?, reverses?,
--              entries: [{ account, asset, amount, part? }] }],
-- amounts as strings of signed minor units, debits negative; without a value date it is the bank's day.
-- Returns one row per command, in their order: the verdict 'posted', 'duplicate' (its source was posted
-- before), or the code of a refusal. A refused command leaves no trace and does not disturb the others. An
-- unbalanced command is a programmer's mistake and raises an exception.
--
-- Lock, then look, then write: all accounts of the batch at once in id order; then the commands in their
-- order, each against what the ones before it left; then one statement that writes all tables.
create or replace function ledger_post(commands jsonb) returns table (ord int, verdict text)
language plpgsql security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
declare
  ids uuid[]; assets text[]; statuses text[]; room numeric[]; ceilings numeric[]; balances numeric[];
  verdicts text[] := '{}'; at_time timestamptz(3); command record; slot int; net numeric;
  latest timestamptz;
begin
  select array_agg(a.id), array_agg(a.asset), array_agg(a.status),
         array_agg(case when a.kind = 'customer' then a.posted - a.held + a.overdraft_limit end),
         array_agg(a.max_balance::numeric), array_agg(a.posted::numeric),
         max(a.last_entry_at)
    into ids, assets, statuses, room, ceilings, balances, latest
    from (select * from accounts where id = any (array(
            select distinct (e->>'account')::uuid
              from jsonb_array_elements(commands) c, jsonb_array_elements(c->'entries') e))
            order by id for no key update) a;
  at_time := booking_time(latest);

  for command in
    select array_agg(array_position(ids, l.account)) as slots, array_agg(l.asset) as assets,
           array_agg(l.net) as nets,
           (select true from ledger_transactions t
             where t.source_type = l.source_type and t.source_id = l.source_id and t.kind = l.kind
             limit 1) as known
      from (select c.n, c.body->>'source_type' as source_type, (c.body->>'source_id')::uuid as source_id,
                   c.body->>'kind' as kind, (e->>'account')::uuid as account, e->>'asset' as asset,
                   sum((e->>'amount')::numeric) as net
              from jsonb_array_elements(commands) with ordinality c(body, n),
                   jsonb_array_elements(c.body->'entries') e
              group by 1, 2, 3, 4, 5, 6) l
      group by l.n, l.source_type, l.source_id, l.kind order by l.n
  loop
    verdict := case when command.known then 'duplicate' else 'posted' end;
    for i in 1 .. cardinality(command.slots) loop
      exit when verdict <> 'posted';
      slot := command.slots[i];
      net := command.nets[i];
      verdict := case
        when slot is null then 'not_found'
        when assets[slot] <> command.assets[i] then 'currency_mismatch'
        when statuses[slot] = 'closed' then 'account_closed'
        when statuses[slot] = 'frozen' or (statuses[slot] = 'blocked' and net < 0) then 'account_blocked'
        when net < 0 and room[slot] + net < 0 then 'insufficient_funds'
        when net > 0 and balances[slot] + net > ceilings[slot] then 'balance_limit'
        -- what the domain minor can hold
        when abs(balances[slot] + net) >= 1e38 then 'balance_limit'
        else 'posted' end;
    end loop;
    if verdict = 'posted' then
      for i in 1 .. cardinality(command.slots) loop
        slot := command.slots[i];
        room[slot] := room[slot] + command.nets[i];
        balances[slot] := balances[slot] + command.nets[i];
      end loop;
    end if;
    verdicts := verdicts || verdict;
  end loop;

  with command as materialized (
    select c.n, c.body,
           coalesce((c.body->>'value_date')::date, (select bank_day(at_time))) as value_date
      from jsonb_array_elements(commands) with ordinality c(body, n) where verdicts[c.n] = 'posted'
  ), leg as materialized (
    select (c.body->>'id')::uuid as transaction_id, c.value_date, (e.body->>'account')::uuid as account_id,
           e.body->>'asset' as asset, (e.body->>'amount')::numeric as amount,
           coalesce(e.body->>'part', 'principal') as part,
           sum((e.body->>'amount')::numeric) over step as running, row_number() over step as step
      from command c, jsonb_array_elements(c.body->'entries') with ordinality e(body, k)
      window step as (partition by e.body->>'account' order by c.n, e.k)
  ), header as (
    insert into ledger_transactions
        (id, kind, source_type, source_id, booked_at, value_date, description, metadata, reverses)
      select (body->>'id')::uuid, body->>'kind', body->>'source_type', (body->>'source_id')::uuid,
             at_time, value_date, coalesce(body->>'description', ''), coalesce(body->'metadata', '{}'),
             (body->>'reverses')::uuid
        from command
  ), moved as (
    update accounts a
       set posted = a.posted + m.amount, entry_seq = a.entry_seq + m.steps, last_entry_at = at_time
      from (select account_id, sum(amount) as amount, count(*) as steps from leg group by account_id) m
     where a.id = m.account_id
      returning a.id, old.posted as posted_before, old.entry_seq as seq_before
  )
  insert into ledger_entries
      (account_id, seq, transaction_id, asset, amount, balance_after, booked_at, value_date, part)
    select l.account_id, m.seq_before + l.step, l.transaction_id, l.asset, l.amount,
           m.posted_before + l.running, at_time, l.value_date, l.part
      from leg l join moved m on m.id = l.account_id;

  return query select n::int, v from unnest(verdicts) with ordinality u(v, n);
end $$;
grant execute on function ledger_post to teller_app;
