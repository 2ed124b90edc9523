-- Fees of accounts: of each month, and of the cards on them.

-- Charges the fee of a month to the next accounts by id: those that were open before the month began, by the
-- version of their type's rule that was in force then. Returns the last account looked at, null at the end.
-- An account is charged once a month, however often and by how many callers at once this is called.
create or replace function charge_account_fees(
  for_month date, after uuid, most int, out last uuid, out charged int, out refused int
) language plpgsql security definer set search_path = public, pg_temp as $$
declare seen int; began timestamptz; fees account_fees[];
begin
  select for_month::timestamp at time zone b.time_zone into began from bank_settings b;
  if began > bank_now() or began < bank_now() - interval '62 days' then
    raise exception 'not a month to be charged now';
  end if;
  select (array_agg(id order by id desc))[1], count(*) into last, seen from (
    select a.id from accounts a where a.kind = 'customer' and a.id > after order by a.id limit most) page;
  insert into account_fees (id, account_id, month, rule_id, rule_version, asset, amount, description)
    select name_uuid('account_fee/' || a.id || '/' || to_char(for_month, 'YYYY-MM')), a.id, for_month,
           v.rule_id, v.version, a.asset, v.flat, v.description
      from accounts a
      join account_types t on t.id = a.account_type_id
      join lateral (select * from fee_rule_versions n
                     where n.rule_id = t.monthly_fee_rule_id and n.valid_from <= began
                     order by n.version desc limit 1) v
        on v.enabled and v.flat > 0 and (v.valid_to is null or v.valid_to > began)
     where a.kind = 'customer' and a.id > after and a.id <= last
       and a.status <> 'closed' and a.opened_at < began
     order by a.id
    on conflict do nothing;
  select array_agg(f order by f.account_id) into fees from (
    select * from account_fees
      where month = for_month and purpose = 'monthly' and account_id > after and account_id <= last
        and status = 'due'
      order by account_id for update) f;
  select p.charged, p.refused into charged, refused from charge_fees(coalesce(fees, '{}')) p;
  if seen < most then last := null; end if;
end $$;
grant execute on function charge_account_fees to teller_app;

-- Charges the fees of a card that are due. What the books refuse is tried again by the daily round.
create or replace function charge_card_fees(card uuid, out charged int, out refused int)
language plpgsql security definer set search_path = public, pg_temp as $$
declare fees account_fees[];
begin
  select array_agg(f order by f.id) into fees from (
    select * from account_fees where card_id = card and status = 'due' order by id for update) f;
  select p.charged, p.refused into charged, refused from charge_fees(coalesce(fees, '{}')) p;
end $$;
grant execute on function charge_card_fees to teller_app;

-- Returns whether a fee that the books have refused is to be tried today: every day for a month, and then it
-- is set aside and tried once a week, so that accounts without money do not cost more with every month.
create or replace function account_fee_is_due(attempts int, tried_at timestamptz) returns boolean
language sql volatile as $$ select attempts < 30 or tried_at < bank_now() - interval '7 days' $$;
grant execute on function account_fee_is_due to teller_app;

-- Tries the next fees by id that the books have refused. Returns the last one looked at, null at the end.
create or replace function charge_refused_account_fees(
  after uuid, most int, out last uuid, out charged int, out refused int
) language plpgsql security definer set search_path = public, pg_temp as $$
declare fees account_fees[];
begin
  select array_agg(f order by f.account_id), (array_agg(f.id order by f.id desc))[1] into fees, last from (
    select * from account_fees
      where status in ('due', 'refused') and id > after and account_fee_is_due(attempts, tried_at)
      order by id limit most for update) f;
  select p.charged, p.refused into charged, refused from charge_fees(coalesce(fees, '{}')) p;
  if coalesce(cardinality(fees), 0) < most then last := null; end if;
end $$;
grant execute on function charge_refused_account_fees to teller_app;

-- Returns the account of the bank that earns a fee.
create or replace function fee_income(f account_fees) returns uuid
language sql set search_path = public, pg_temp as $$
  select house_account(case when f.card_id is null then 'fees' else 'card_fees' end, f.asset, f.id)
$$;

-- Books these fees. If the books raise an error that time does not heal, each is booked alone, so that an
-- account whose books are damaged keeps no other from being charged: its fee is refused with the SQLSTATE.
create or replace function charge_fees(fees account_fees[], out charged int, out refused int)
language plpgsql set search_path = public, pg_temp as $$
declare f account_fees; alone record; touched uuid[];
begin
  begin
    select p.charged, p.refused into charged, refused from post_account_fees(fees) p;
    return;
  exception when others then
    if heals_with_time(sqlstate) then raise; end if;
  end;
  charged := 0;
  refused := 0;
  -- all at once and in order, as every posting takes them: one after the other would meet payments crosswise
  touched := array(select unnest(array[x.account_id, fee_income(x)]) from unnest(fees) x);
  perform 1 from accounts a where a.id = any (touched) order by a.id for no key update;
  foreach f in array fees loop
    begin
      select p.charged, p.refused into alone from post_account_fees(array[f]) p;
      charged := charged + alone.charged;
      refused := refused + alone.refused;
    exception when others then
      if heals_with_time(sqlstate) then raise; end if;
      update account_fees a set attempts = a.attempts + 1, tried_at = bank_now(),
          status = 'refused', refusal = 'error_' || sqlstate
        where a.id = f.id;
      refused := refused + 1;
    end;
  end loop;
end $$;

-- Returns whether a repeat may heal an error: the classes that db/sql-state.ts names and explains.
create or replace function heals_with_time(state text) returns boolean
language sql immutable as
  $$ select left(state, 2) = any ('{08,25,40,42,53,55,57,58,XX}') $$;

-- Books these fees, each by itself; what the books refuse is kept with the reason. The caller has locked
-- their rows. An account that was booked ahead of the clock would fail the whole batch: its fee is refused.
create or replace function post_account_fees(fees account_fees[], out charged int, out refused int)
language plpgsql set search_path = public, pg_temp as $$
declare commands jsonb; verdicts text[]; ahead uuid[];
begin
  charged := 0;
  with left_out as (
    update account_fees a set attempts = a.attempts + 1, tried_at = bank_now(),
        status = 'refused', refusal = 'booked_ahead'
      from unnest(fees) f
      where a.id = f.id and exists (
        -- asked for once a fee, and not for every account of the bank
        select from (select array[f.account_id, fee_income(f)] as both offset 0) w
          join accounts b on b.id = any (w.both) where b.last_entry_at > bank_now() + clock_step())
      returning a.id
  ) select array_agg(id), count(*) into ahead, refused from left_out;
  fees := array(select f from unnest(fees) f where f.id <> all (coalesce(ahead, '{}')) order by f.account_id);
  if cardinality(fees) = 0 then return; end if;
  select jsonb_agg(jsonb_build_object(
      'id', uuidv7(), 'kind', 'account_fee', 'source_type', 'account_fee', 'source_id', f.id,
      'description', f.description,
      'metadata', jsonb_build_object('fee_rule_id', f.rule_id, 'fee_rule_version', f.rule_version::text)
        || case when f.card_id is null then jsonb_build_object('month', to_char(f.month, 'YYYY-MM'))
                else jsonb_build_object('card_id', f.card_id) end,
      'entries', jsonb_build_array(
        jsonb_build_object('account', f.account_id,
          'asset', f.asset, 'amount', (-f.amount)::text, 'part', 'fee'),
        jsonb_build_object('account', fee_income(f),
          'asset', f.asset, 'amount', f.amount::text, 'part', 'fee'))) order by n)
    into commands from generate_subscripts(fees, 1) n, lateral (select (fees[n]).*) f;
  verdicts := array(select p.verdict from ledger_post(commands) p order by p.ord);
  update account_fees a set attempts = a.attempts + 1, tried_at = bank_now(),
      status = case when verdicts[n] in ('posted', 'duplicate') then 'charged'
                    when verdicts[n] = 'account_closed' then 'waived' else 'refused' end,
      refusal = case when verdicts[n] not in ('posted', 'duplicate') then verdicts[n] end,
      transaction_id = (select t.id from ledger_transactions t
        where t.source_type = 'account_fee' and t.source_id = a.id and t.kind = 'account_fee')
    from generate_subscripts(fees, 1) n where a.id = (fees[n]).id;
  charged := (select count(*) from unnest(verdicts) v where v in ('posted', 'duplicate'));
  refused := refused + cardinality(verdicts) - charged;
end $$;

-- Returns the UUID of a name, the same every time: version 8 over SHA-256 (RFC 9562, section 5.8 and appendix
-- B.2).
create or replace function name_uuid(name text) returns uuid language sql immutable strict parallel safe
  return (select encode(set_byte(set_byte(h, 6, get_byte(h, 6) & 15 | 128),
                                 8, get_byte(h, 8) & 63 | 128), 'hex')::uuid
            from (select substring(sha256(convert_to(name, 'UTF8')) for 16)) hash (h));

-- Refuses a change of a fee that was charged or waived, and of what a fee is for.
create or replace function check_account_fee_change() returns trigger language plpgsql as $$
begin
  if old.status not in ('due', 'refused')
     or (new.id, new.account_id, new.month, new.purpose, new.card_id, new.rule_id, new.rule_version,
         new.asset, new.amount)
        is distinct from
        (old.id, old.account_id, old.month, old.purpose, old.card_id, old.rule_id, old.rule_version,
         old.asset, old.amount) then
    raise exception 'account fee % stands', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger account_fees_change before update on account_fees
  for each row execute function check_account_fee_change();

-- Refuses a version that its purpose does not admit: a share of an amount where there is none, a type of
-- transfer where none is charged, and a card product where there is no card.
create or replace function check_fee_purpose() returns trigger
language plpgsql set search_path = public, pg_temp as $$
begin
  if new.transfer_type is not null and new.purpose <> 'transfer'
     or new.card_product_id is not null and new.purpose not like 'card\_%'
     or (new.rate_bps <> 0 or new.tiers <> '[]' or num_nonnulls(new.minimum, new.maximum) > 0)
       and exists (select from fee_purposes p where p.code = new.purpose and p.is_flat) then
    raise exception 'fee rule % is not one of a fee that is charged for %', new.rule_id, new.purpose
      -- the release before knows a name for monthly fees only
      using errcode = 'check_violation', constraint = case new.purpose
        when 'monthly' then 'fee_rule_monthly_is_flat' else 'fee_rule_fits_its_purpose' end;
  end if;
  return new;
end $$;

create or replace trigger fee_rule_versions_fit before insert on fee_rule_versions
  for each row execute function check_fee_purpose();
