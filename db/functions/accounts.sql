-- Accounts: their numbers, their opening, their limits, and what of them never changes.

-- Draws the next account number: ten digits and two check digits (ISO 7064 mod 97-10), so that a mistyped
-- number is nobody's. Runs as the owner, to whom the sequence belongs.
create or replace function next_account_number() returns text
language sql volatile security definer set search_path = public, pg_temp as $$
  select n || lpad((98 - (n::numeric * 100) % 97)::text, 2, '0')
    from (select nextval('account_numbers')::text as n) s
$$;
grant execute on function next_account_number to teller_app;

-- Opens a customer's account of a type, once per id. The type's limits are copied: a later change of the type
-- is not retroactive. A balance that must be kept is an overdraft limit below zero, so that one sum (posted -
-- held + limit) says everywhere what can be spent; a fresh account may be below it.
--
-- A repeat at the same moment may meet any of the unique keys, so the conflict clause names none: before it
-- writes, PostgreSQL looks only at the key that the clause names, and raises an error for the others while it
-- writes.
create or replace function open_account(
  new_id uuid, new_owner uuid, type_id uuid, new_nickname text, new_number text, new_iban text
) returns void
language sql security definer set search_path = public, pg_temp as $$
  insert into accounts
      (id, kind, owner_id, account_type_id, number, iban, nickname, asset, overdraft_limit, max_balance)
    select new_id, 'customer', new_owner, t.id, new_number, new_iban, new_nickname, t.asset,
           t.overdraft_limit - t.min_balance, t.max_balance
      from account_types t where t.id = type_id and t.enabled
    on conflict do nothing
$$;
grant execute on function open_account to teller_app;

-- Returns how far an account is below its limit; what is held counts as spent.
create or replace function shortfall(posted numeric, held numeric, overdraft_limit numeric) returns numeric
language sql immutable as $$ select greatest(held - posted - greatest(overdraft_limit, 0), 0) $$;
grant execute on function shortfall to teller_app;

-- Sets one account's limits, apart from its type's. Returns the limits before, or a refusal.
create or replace function account_set_limits(
  target uuid, new_limit numeric, new_max numeric,
  out before_limit numeric, out before_max numeric, out refusal text
) language plpgsql security definer set search_path = public, pg_temp as $$
declare a accounts;
begin
  select * into a from accounts x where x.id = target and x.kind = 'customer' for no key update;
  before_limit := a.overdraft_limit;
  before_max := a.max_balance;
  refusal := case
    when a.id is null then 'not_found'
    when a.status = 'closed' then 'account_closed'
    when shortfall(a.posted, a.held, new_limit) > a.unarranged then 'overdraft_in_use' end;
  if refusal is null then
    update accounts set overdraft_limit = new_limit, max_balance = new_max where id = target;
  end if;
end $$;
grant execute on function account_set_limits to teller_app;

-- Refuses a change of what an account is, and every change of a closed one. What is covered again, by money,
-- by a hold that has ended or by a higher limit, is no longer unarranged.
create or replace function check_account_change() returns trigger language plpgsql as $$
begin
  if (new.id, new.kind, new.owner_id, new.account_type_id, new.asset, new.number, new.role, new.shard,
      coalesce(old.iban, new.iban))
     is distinct from (old.id, old.kind, old.owner_id, old.account_type_id, old.asset, old.number, old.role,
      old.shard, new.iban) then
    raise exception 'an account never changes owner, type, asset or number'
      using errcode = 'restrict_violation';
  end if;
  -- an account that was opened before there were IBANs gets one, closed or not
  if old.status = 'closed' and (old.iban is not null or new.iban is null) then
    raise exception 'account % is closed for ever', old.id using errcode = 'restrict_violation';
  end if;
  if old.unarranged > 0 or new.unarranged > 0 then
    new.unarranged := least(new.unarranged::numeric, shortfall(new.posted, new.held, new.overdraft_limit));
    new.unarranged_since := case when new.unarranged > 0 then coalesce(old.unarranged_since, bank_now()) end;
  end if;
  return new;
end $$;

create or replace trigger accounts_change before update on accounts
  for each row execute function check_account_change();

-- Whether the check digits of an IBAN are right (ISO 13616). The application makes the IBAN, because it knows
-- the bank's country and code. The check digits are looked at only when the IBAN is written: accounts change
-- with every posting.
create or replace function is_iban(iban text) returns boolean
language sql immutable strict parallel safe as $$
  select iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$' and (
    select string_agg(case when c ~ '[0-9]' then c else (ascii(c) - 55)::text end, '' order by n)::numeric
           % 97 = 1
      from regexp_split_to_table(substr(iban, 5) || left(iban, 4), '') with ordinality x(c, n))
$$;

-- Refuses an IBAN whose check digits are wrong, and one for an account that keeps no currency.
create or replace function check_account_iban() returns trigger
language plpgsql set search_path = public, pg_temp as $$
begin
  if not is_iban(new.iban) then
    raise exception 'an IBAN has wrong check digits' using errcode = 'check_violation';
  end if;
  if not exists (select from assets a where a.code = new.asset and a.kind = 'fiat') then
    raise exception 'an account in % has no IBAN', new.asset using errcode = 'check_violation';
  end if;
  return new;
end $$;

create or replace trigger accounts_iban before insert or update of iban on accounts
  for each row when (new.iban is not null) execute function check_account_iban();
