-- The books: the one door through which entries are written, many ledger transactions in one round trip,
-- each with its own verdict; and what the books refuse to every program, that of the owner of the tables too.
-- Other functions call the door, each for a source that it has checked; the application cannot. The checks of
-- entries look rows up one by one, whatever the statistics say: a plan that was made while the tables were
-- small would scan them later.

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

-- Posts ledger transactions.
--
-- commands: [{ id, kind, source_type, source_id, value_date?, description?, metadata?, reverses?,
--              must?, spread?, entries: [{ account, asset, amount, part? }] }],
-- amounts as strings of signed minor units, debits negative; without a value date it is the bank's day. With
-- "must": true it has happened and is booked whatever the account says (must-book.sql); those with the same
-- "spread" have one suspense account.
-- Returns one row per command, in their order: the verdict 'posted', 'duplicate' (its source was posted
-- before), or the code of a refusal. A refused command leaves no trace and does not disturb the others. An
-- unbalanced command is a programmer's mistake and raises an exception.
--
-- Lock, then look, then write: all accounts of the batch at once in id order; then the commands in their
-- order, each against what the ones before it left; then one statement that writes all tables.
create or replace function ledger_post(commands jsonb) returns table (ord int, verdict text)
language plpgsql security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
set enable_material = off as $$
declare
  ids uuid[]; assets text[]; statuses text[]; room numeric[]; ceilings numeric[]; balances numeric[];
  verdicts text[] := '{}'; at_time timestamptz(3); command record; slot int; net numeric;
  latest timestamptz; forced uuid[] := '{}'; stopped boolean[];
begin
  if commands @> '[{"must": true}]' then commands := must_prepare(commands); end if;
  select array_agg(a.id), array_agg(a.asset), array_agg(a.status),
         array_agg(case when a.kind <> 'house' then a.posted - a.held + a.overdraft_limit end),
         array_agg(a.max_balance::numeric), array_agg(a.posted::numeric),
         array_agg(a.kind = 'coin' and exists (
           select from crypto_assets c where c.asset = a.asset and c.debits_stopped)),
         max(a.last_entry_at)
    into ids, assets, statuses, room, ceilings, balances, stopped, latest
    from (select * from accounts where id = any (array(
            select distinct (e->>'account')::uuid
              from jsonb_array_elements(commands) c, jsonb_array_elements(c->'entries') e))
            order by id for no key update) a;
  at_time := booking_time(latest);

  for command in
    select array_agg(array_position(ids, l.account)) as slots, array_agg(l.asset) as assets,
           array_agg(l.net) as nets, coalesce(l.must, false) as must,
           (select true from ledger_transactions t
             where t.source_type = l.source_type and t.source_id = l.source_id and t.kind = l.kind
             limit 1) as known
      from (select c.n, c.body->>'source_type' as source_type, (c.body->>'source_id')::uuid as source_id,
                   c.body->>'kind' as kind, c.body->'must' = 'true' as must,
                   (e->>'account')::uuid as account, e->>'asset' as asset,
                   sum((e->>'amount')::numeric) as net
              from jsonb_array_elements(commands) with ordinality c(body, n),
                   jsonb_array_elements(c.body->'entries') e
              group by 1, 2, 3, 4, 5, 6, 7) l
      group by l.n, l.source_type, l.source_id, l.kind, l.must order by l.n
  loop
    verdict := case when command.known then 'duplicate' else 'posted' end;
    for i in 1 .. cardinality(command.slots) loop
      exit when verdict <> 'posted';
      slot := command.slots[i];
      net := command.nets[i];
      verdict := case
        when slot is null then 'not_found'
        when assets[slot] <> command.assets[i] then 'currency_mismatch'
        when command.must and abs(balances[slot] + net) < 1e38 then 'posted'
        when statuses[slot] = 'closed' then 'account_closed'
        when statuses[slot] = 'frozen' or (statuses[slot] = 'blocked' and net < 0) then 'account_blocked'
        when net < 0 and stopped[slot] then 'debits_stopped'
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
        if command.must and room[slot] is not null then forced := forced || ids[slot]; end if;
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
       set posted = a.posted + m.amount, entry_seq = a.entry_seq + m.steps, last_entry_at = at_time,
           unarranged = case when a.id = any (forced) then greatest(a.unarranged,
             shortfall(a.posted + m.amount, a.held, a.overdraft_limit)) else a.unarranged end
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
-- the application posts by the functions that check an order; a database from before had granted these
revoke execute on function house_account, ledger_post from teller_app;

-- Checks what a statement has written into ledger_entries: each transaction touched sums to zero per asset,
-- each account's chain of balances and of booking times is unbroken, and it ends at what the account says,
-- and not in the future; so an account is updated before its entries are written.
create or replace function check_entries() returns trigger language plpgsql
set plan_cache_mode = force_generic_plan
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
set enable_material = off set enable_sort = off as $$
declare wrong uuid; latest timestamptz := bank_now() + clock_step();
begin
  -- each looked up by itself: joined, the plan of an empty bank would read all entries of a large one
  select w.transaction_id into wrong from (select distinct transaction_id from written) w
    cross join lateral (select from ledger_entries e where e.transaction_id = w.transaction_id
                         group by e.asset having sum(e.amount) <> 0) unbalanced limit 1;
  if found then
    raise exception 'ledger transaction % does not sum to zero', wrong using errcode = 'check_violation';
  end if;
  select w.account_id into wrong from written w
    left join lateral (select e.* from ledger_entries e where e.account_id = w.account_id and e.seq < w.seq
                        order by e.seq desc limit 1) before on true
    where w.balance_after <> coalesce(before.balance_after, 0) + w.amount
       or w.seq <> coalesce(before.seq, 0) + 1
       or w.booked_at < before.booked_at or w.booked_at > latest limit 1;
  if found then
    raise exception 'the entries of account % do not continue its history', wrong
      using errcode = 'check_violation';
  end if;
  select a.id into wrong from accounts a
    join (select distinct on (account_id) account_id, seq, balance_after from written
            order by account_id, seq desc) last on last.account_id = a.id
    where a.entry_seq <> last.seq or a.posted <> last.balance_after limit 1;
  if found then
    raise exception 'account % does not agree with its entries', wrong using errcode = 'check_violation';
  end if;
  return null;
end $$;

create or replace trigger ledger_entries_check after insert on ledger_entries
  referencing new table as written for each statement execute function check_entries();

-- Checks at commit that an account which was changed says what its last entry says.
create or replace function check_account_balance() returns trigger language plpgsql
set plan_cache_mode = force_generic_plan
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
set enable_material = off set enable_sort = off as $$
declare now_posted numeric; now_seq bigint; last_balance numeric; last_seq bigint;
begin
  select posted, entry_seq into now_posted, now_seq from accounts where id = new.id;
  select balance_after, seq into last_balance, last_seq
    from ledger_entries where account_id = new.id order by seq desc limit 1;
  if now_posted is distinct from coalesce(last_balance, 0)
     or now_seq is distinct from coalesce(last_seq, 0) then
    raise exception 'account % does not agree with its entries', new.id using errcode = 'check_violation';
  end if;
  return null;
end $$;

-- "or replace" does not exist for constraint triggers
drop trigger if exists accounts_agree on accounts;
create constraint trigger accounts_agree after insert or update of posted, entry_seq on accounts
  deferrable initially deferred for each row execute function check_account_balance();
