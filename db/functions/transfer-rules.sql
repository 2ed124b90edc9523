-- The rules of a transfer: which payee its type reaches, what it has to pass before it is booked, and what it
-- books. The API knows the reach too (domain/transfers/reach.ts), to choose a type and to refuse early; a
-- test compares the two. A leg is { at | account, asset, amount, part? }: 'at' is 'source', 'destination' or
-- the role of a house account.

-- Returns the nearest reach that gets to a payee: an account of this bank, the payer's own or not, or, where
-- is_own is null, this IBAN of another bank; null is an account without one.
create or replace function payee_reach(is_own boolean, iban text, target_asset text) returns text
language sql immutable as $$
  select case
    when is_own then 'own'
    when is_own is not null then 'internal'
    -- the countries of the SEPA schemes
    when target_asset = 'EUR' and left(iban, 2) in (
      'AD', 'AL', 'AT', 'BE', 'BG', 'CH', 'CY', 'CZ', 'DE', 'DK', 'EE', 'ES', 'FI', 'FR', 'GB', 'GI', 'GR',
      'HR', 'HU', 'IE', 'IS', 'IT', 'LI', 'LT', 'LU', 'LV', 'MC', 'MD', 'ME', 'MK', 'MT', 'NL', 'NO', 'PL',
      'PT', 'RO', 'RS', 'SE', 'SI', 'SK', 'SM', 'VA') then 'sepa'
    else 'international' end
$$;
grant execute on function payee_reach to teller_app;

-- Returns whether a type with this reach gets where 'nearest' is the nearest reach that does.
create or replace function reach_covers(reach text, nearest text) returns boolean
language sql immutable as $$
  select reach = nearest or (reach, nearest) in (('internal', 'own'), ('international', 'sepa'))
$$;

-- Returns whether a type of transfer with this reach gets from the payer to the payee.
create or replace function transfer_reaches(t transfers, reach text, payer accounts, payee accounts)
returns boolean
language sql stable set search_path = public, pg_temp as $$
  select coalesce(case
    when t.beneficiary_id is null then reach_covers(reach,
      payee_reach(coalesce(payee.owner_id = payer.owner_id, false), null, t.target_asset))
    else (select reach_covers(reach, payee_reach(null, b.iban, t.target_asset)) from beneficiaries b
      where b.id = t.beneficiary_id and b.user_id = t.customer_id)
    end, false)
$$;

-- Returns whether a transfer in this status has its money held, and is not booked yet. The domain knows it
-- too (domain/transfers/transfers.ts); a test compares the two.
create or replace function transfer_is_held(status text) returns boolean
language sql immutable as $$ select status in ('pending_approval', 'aml_review', 'queued') $$;

-- Returns whether a transfer in this status has ended without the money having gone, so that what it has used
-- of limits is given back. The domain knows it too (domain/transfers/transfers.ts); a test compares the two.
create or replace function transfer_is_unspent(status text) returns boolean
language sql immutable as $$ select status in ('rejected', 'cancelled', 'expired', 'failed', 'returned') $$;

-- Returns the status of a transfer that has passed so many gates: 1 the approval, 2 the screening, 3 the
-- rail's window. Screening asks whether a rule or a flag holds it, or the account is flagged.
create or replace function transfer_gate(
  stage int, needs_approval boolean, t_kind text, source uuid, type_code text, is_external boolean,
  is_held boolean default false, out status text, out due timestamptz
) language plpgsql volatile set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan as $$
begin
  if stage < 1 and needs_approval then
    status := 'pending_approval';
  elsif stage < 2 and t_kind = 'transfer' and (is_held or exists (
      select from account_aml_flags f where f.account_id = source and f.cleared_at is null)) then
    status := 'aml_review';
  elsif is_external then
    due := rail_window(type_code, bank_now());
    status := case when due > bank_now() then 'queued' else 'submitted' end;
  else
    status := 'executed';
  end if;
end $$;

-- Returns the first moment from 'at' on at which the rail takes transfers of this type.
create or replace function rail_window(wanted_type text, at timestamptz) returns timestamptz
language plpgsql stable set search_path = public, pg_temp as $$
declare t transfer_types; moment timestamptz := at; here timestamp;
begin
  select * into strict t from transfer_types where code = wanted_type;
  loop
    here := moment at time zone t.cut_off_zone;
    exit when (t.cut_off is null or here::time <= t.cut_off)
      and not (t.business_days_only and (extract(isodow from here) > 5
        or exists (select from bank_holidays h where h.calendar = 'TARGET' and h.day = here::date)));
    moment := (here::date + 1)::timestamp at time zone t.cut_off_zone;
  end loop;
  return moment;
end $$;

-- Returns every account that a decision on a transfer may touch; they are locked before anything is looked
-- at.
create or replace function transfer_accounts(t transfers) returns uuid[]
language sql set search_path = public, pg_temp as $$
  select array_agg(distinct id) from (
    select t.source_account_id union all select t.destination_account_id
    union all select coalesce((leg->>'account')::uuid, house_account(leg->>'at', leg->>'asset', t.id))
      from jsonb_array_elements(t.legs) leg
      where leg->>'at' is null or leg->>'at' not in ('source', 'destination')
    union all select house_account(role, asset, t.id)
      from (values ('nostro', t.target_asset), ('suspense', t.asset)) h(role, asset)
      where t.beneficiary_id is not null) a(id)
$$;

-- Returns the legs with their accounts, after a check that they say what the transfer says.
create or replace function transfer_legs(
  t_id uuid, source uuid, destination uuid, asset text, amount numeric, target_asset text,
  target_amount numeric, fee_total numeric, legs jsonb
) returns jsonb
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare resolved jsonb; out_of_source numeric; into_destination numeric;
begin
  if legs is null then
    if asset <> target_asset or fee_total <> 0 then
      raise exception 'transfer % does not say what it books', t_id using errcode = 'check_violation';
    end if;
    return jsonb_build_array(
      jsonb_build_object('account', source, 'asset', asset, 'amount', (-amount)::text),
      jsonb_build_object('account', destination, 'asset', asset, 'amount', amount::text));
  end if;
  select jsonb_agg(leg - 'at' || jsonb_build_object('account', account) order by n),
         sum((leg->>'amount')::numeric) filter (where account = source and leg->>'asset' = asset),
         sum((leg->>'amount')::numeric) filter (where account = destination and leg->>'asset' = target_asset)
    into resolved, out_of_source, into_destination
    from (select n, leg, coalesce((leg->>'account')::uuid, case leg->>'at'
                   when 'source' then source when 'destination' then destination
                   else house_account(leg->>'at', leg->>'asset', t_id) end) as account
            from jsonb_array_elements(legs) with ordinality l(leg, n)) x;
  if out_of_source is distinct from -(amount + fee_total)
     or into_destination is distinct from target_amount then
    raise exception 'transfer % books something else than it says', t_id using errcode = 'check_violation';
  end if;
  return resolved;
end $$;

-- Posts one ledger transaction of a transfer, out of its hold if one is given; without a value date it counts
-- from the bank's day of now. What must be booked is not refused. Returns its id, or the code of the refusal.
create or replace function post_transfer(
  t_id uuid, t_kind text, legs jsonb, description text, value_date date, reverses uuid, hold uuid,
  must boolean, out transaction_id uuid, out refusal text
) language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare command jsonb; verdict text;
begin
  transaction_id := uuidv7();
  command := jsonb_strip_nulls(jsonb_build_object(
    'id', transaction_id, 'kind', t_kind, 'source_type', 'transfer', 'source_id', t_id,
    'description', description, 'value_date', value_date, 'reverses', reverses,
    'must', nullif(must, false), 'entries', legs));
  if hold is null then
    select p.verdict into verdict from ledger_post(jsonb_build_array(command)) p;
  else
    verdict := hold_capture(hold, command, true);
  end if;
  if verdict <> 'posted' then
    transaction_id := null;
    refusal := verdict;
  end if;
end $$;

-- Takes a transfer's posting back, every leg of it: the money is back, whatever has become of the account.
create or replace function post_return(t transfers, t_kind text, out transaction_id uuid)
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare back jsonb; refused text;
begin
  select jsonb_agg(jsonb_build_object('asset', e.asset, 'amount', (-e.amount)::text, 'part', e.part,
           'account',
           -- once it was settled, it comes back from where it had gone
           case when t.status = 'executed' and e.account_id = t.destination_account_id
             then house_account('nostro', e.asset, t.id) else e.account_id end) order by e.amount desc)
    into strict back from ledger_entries e where e.transaction_id = t.transaction_id;
  select p.transaction_id, p.refusal into transaction_id, refused
    from post_transfer(t.id, t_kind, back, t.description, null, t.transaction_id, null, true) p;
  if refused is not null then
    raise exception 'transfer % cannot be taken back: %', t.id, refused;
  end if;
end $$;
