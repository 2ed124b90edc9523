-- What the books refuse to every program, that of the owner of the tables too. The checks of entries look
-- rows up one by one, whatever the statistics say: a plan that was made while the tables were small would
-- scan them later.

-- Checks what a statement has written into ledger_entries: each transaction touched sums to zero per asset,
-- each account's chain of balances and of booking times is unbroken, and it ends at what the account says,
-- and not in the future; so an account is updated before its entries are written.
create or replace function check_entries() returns trigger language plpgsql
set plan_cache_mode = force_generic_plan
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
declare wrong uuid; latest timestamptz := bank_now() + clock_step();
begin
  select e.transaction_id into wrong from ledger_entries e
    where e.transaction_id in (select transaction_id from written)
    group by e.transaction_id, e.asset having sum(e.amount) <> 0 limit 1;
  if found then
    raise exception 'ledger transaction % does not sum to zero', wrong using errcode = 'check_violation';
  end if;
  select w.account_id into wrong from written w
    left join ledger_entries before on before.account_id = w.account_id and before.seq = w.seq - 1
    where w.balance_after <> coalesce(before.balance_after, 0) + w.amount
       or (before.seq is null and w.seq <> 1)
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
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
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

-- Refuses a second end of a hold, and a change of what it holds.
create or replace function check_hold_change() returns trigger language plpgsql as $$
begin
  if old.status <> 'open' or (new.id, new.account_id, new.amount, new.source_type, new.source_id)
     is distinct from (old.id, old.account_id, old.amount, old.source_type, old.source_id) then
    raise exception 'hold % is resolved', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger holds_change before update on holds
  for each row execute function check_hold_change();
