-- What a transfer books. A leg is { at | account, asset, amount, part? }: 'at' is 'source', 'destination' or
-- the role of a house account.

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

-- Posts one ledger transaction of a transfer; without a value date it counts from the bank's day of now.
-- Returns its id, or the code of the refusal.
create or replace function post_legs(
  t_id uuid, t_kind text, legs jsonb, description text, value_date date, reverses uuid, metadata jsonb,
  out transaction_id uuid, out refusal text
) language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare verdict text;
begin
  transaction_id := uuidv7();
  select p.verdict into verdict from ledger_post(jsonb_build_array(jsonb_strip_nulls(jsonb_build_object(
    'id', transaction_id, 'kind', t_kind, 'source_type', 'transfer', 'source_id', t_id,
    'description', description, 'value_date', value_date, 'reverses', reverses, 'metadata', metadata,
    'entries', legs)))) p;
  if verdict <> 'posted' then
    transaction_id := null;
    refusal := verdict;
  end if;
end $$;

-- Takes a transfer's posting back, every leg of it. If the account no longer takes money (closed, frozen,
-- above its maximum), it goes to the bank's suspense account, with the account it is for beside it: the money
-- is back, and somebody has to look.
create or replace function post_return(t transfers, t_kind text, out transaction_id uuid)
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare back jsonb; refused text; suspense uuid;
begin
  select jsonb_agg(jsonb_build_object('asset', e.asset, 'amount', (-e.amount)::text, 'part', e.part,
           'account',
           -- once it was settled, it comes back from where it had gone
           case when t.status = 'executed' and e.account_id = t.destination_account_id
             then house_account('nostro', e.asset, t.id) else e.account_id end) order by e.amount desc)
    into strict back from ledger_entries e where e.transaction_id = t.transaction_id;
  select p.transaction_id, p.refusal into transaction_id, refused
    from post_legs(t.id, t_kind, back, t.description, null, t.transaction_id, null) p;
  if refused is null then return; end if;
  suspense := house_account('suspense', t.asset, t.id);
  select jsonb_agg(case when (leg->>'account')::uuid = t.source_account_id
           then leg || jsonb_build_object('account', suspense) else leg end)
    into back from jsonb_array_elements(back) leg;
  select p.transaction_id, p.refusal into transaction_id, refused
    from post_legs(t.id, t_kind, back, t.description, null, t.transaction_id,
                   jsonb_build_object('for_account', t.source_account_id, 'why', refused)) p;
  if refused is not null then
    raise exception 'transfer % cannot be taken back: %', t.id, refused;
  end if;
end $$;
