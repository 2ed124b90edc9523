-- How transfers began in the release before; drop this file with the one after. transfers_create takes its
-- place.

-- Opens several transfers in one transaction: all locks first and in order, then one transfer after the
-- other. Returns one row per order, in their order.
create or replace function transfers_open(orders jsonb)
returns table (ord int, status text, refusal text, members jsonb, wait_seconds int)
language plpgsql security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan as $$
declare item record;
begin
  perform 1 from accounts where id = any (array(
    select coalesce((o->>side)::uuid, case
             when side = 'destination' and o->>'beneficiary' is not null
               then house_account('clearing', coalesce(o->>'target_asset', o->>'asset'), (o->>'id')::uuid)
             else house_account('adjustments', o->>'asset', (o->>'id')::uuid) end)
      from jsonb_array_elements(orders) o, unnest(array['source', 'destination']) side
    union all select house_account(leg->>'at', leg->>'asset', (o->>'id')::uuid)
      from jsonb_array_elements(orders) o, jsonb_array_elements(o->'legs') leg
      where leg->>'at' not in ('source', 'destination')
    union all select e.account_id
      from jsonb_array_elements(orders) o
      join transfers t on t.id = (o->>'reverses')::uuid
      join ledger_entries e on e.transaction_id = t.transaction_id))
    order by id for no key update;
  perform limit_lock(array(select (o->>'customer')::uuid from jsonb_array_elements(orders) o
    where exists (select from transfer_limits l where l.type_code = o->>'type' and l.asset = o->>'asset')));
  for item in select n::int as n, o from jsonb_array_elements(orders) with ordinality x(o, n) order by n loop
    ord := item.n;
    select t.status, t.refusal, t.members, t.wait_seconds into status, refusal, members, wait_seconds
      from transfer_open(item.o) t;
    return next;
  end loop;
end $$;
grant execute on function transfers_open to teller_app;

-- Opens one transfer; its accounts are locked by transfers_open.
--
-- order: { id, kind, type?, requested_by, customer, source?, destination?, beneficiary?, asset, amount,
--          target_asset?, target_amount?, fee_total?, price?, legs?, description, reason?, quote?, reverses?,
--          value_date?, approval_seconds? }
-- An adjustment leaves out the side that is the bank's; a payment out of the bank has a beneficiary instead
-- of a destination.
--
-- Returns the transfer's status (of a repeat, whatever the transfer has become) and how long it waits as it
-- is, or a refusal with its members. A refusal is also written beside the request's idempotency key in the
-- same transaction, so that the key stays refused for ever, whoever crashes.
create or replace function transfer_open(
  wanted jsonb, out status text, out refusal text, out members jsonb, out wait_seconds int
) language plpgsql security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan as $$
declare
  o record; kind_of transfer_types; threshold minor; quoted transfer_quotes;
  payer accounts; payee accounts; original transfers;
  approval boolean; until timestamptz; due timestamptz; today date; recipient uuid; legs jsonb; total numeric;
  new_hold uuid; transaction uuid;
begin
  select * into o from jsonb_to_record(wanted) as x(
    id uuid, kind text, type text, requested_by uuid, customer uuid, source uuid, destination uuid,
    beneficiary uuid, asset text, amount numeric, target_asset text, target_amount numeric, fee_total numeric,
    price jsonb, legs jsonb, description text, reason text, quote uuid, reverses uuid, value_date date,
    approval_seconds int);
  o.target_asset := coalesce(o.target_asset, o.asset);
  o.target_amount := coalesce(o.target_amount, o.amount);
  o.fee_total := coalesce(o.fee_total, 0);
  total := o.amount + o.fee_total;

  select t.status,
         ceil(extract(epoch from
           case t.status when 'pending_approval' then t.approve_until when 'queued' then t.due_at end
           - clock_timestamp()))::int
    into status, wait_seconds from transfers t where t.id = o.id;
  if found then return; end if;
  select k.refusal->>'code', k.refusal->'members' into refusal, members
    from idempotency_keys k where k.resource_id = o.id and k.refusal is not null;
  if found then return; end if;

  select * into payer from accounts where id = coalesce(o.source,
    house_account('adjustments', o.asset, o.id));
  select * into payee from accounts where id = coalesce(o.destination,
    house_account(case when o.beneficiary is null then 'adjustments' else 'clearing' end,
      o.target_asset, o.id));
  recipient := coalesce(o.beneficiary, payee.id);
  if o.kind = 'transfer' then
    select * into kind_of from transfer_types t where t.code = o.type and t.enabled;
    select c.approval_above into threshold from transfer_type_currencies c
      where c.type_code = kind_of.code and c.asset = o.asset;
    today := (clock_timestamp() at time zone kind_of.cut_off_zone)::date;
  elsif o.kind = 'reversal' then
    select * into original from transfers t where t.id = o.reverses;
    select jsonb_agg(jsonb_build_object('account', e.account_id, 'asset', e.asset,
             'amount', (-e.amount)::text, 'part', e.part) order by e.amount desc)
      into o.legs from ledger_entries e where e.transaction_id = original.transaction_id;
  end if;
  approval := o.kind <> 'transfer' or o.amount > threshold;
  refusal := case
    when payer.id is null or payee.id is null then 'not_found'
    when payer.id = payee.id then 'same_account'
    when o.kind = 'transfer' and (threshold is null or not coalesce(case kind_of.reach
        when 'own' then payee.owner_id = payer.owner_id
        when 'internal' then o.beneficiary is null
        when 'sepa' then o.target_asset = 'EUR' and exists (select from beneficiaries b
          where b.id = o.beneficiary and b.user_id = o.customer and b.iban is not null)
        else exists (select from beneficiaries b where b.id = o.beneficiary and b.user_id = o.customer) end,
        false))
      then 'transfer_type_unavailable'
    when o.kind = 'reversal' and (original.id is null or original.status <> 'executed'
      or original.beneficiary_id is not null or original.kind = 'reversal'
      or (original.source_account_id, original.destination_account_id) is distinct from (payee.id, payer.id)
      or exists (select from transfers r
        where r.reverses_id = original.id and r.status in ('pending_approval', 'aml_review', 'executed')))
      then 'not_reversible'
    when payer.asset <> o.asset or payee.asset <> o.target_asset then 'currency_mismatch' end;

  if refusal is null and o.quote is not null then
    select * into quoted from transfer_quotes q where q.id = o.quote for update;
    if quoted.transfer_id is not null or quoted.expires_at <= clock_timestamp()
       or (quoted.requested_by, quoted.type_code, quoted.source_account_id, quoted.destination_account_id,
           quoted.beneficiary_id, quoted.asset, quoted.amount::numeric, quoted.target_asset,
           quoted.target_amount::numeric, quoted.fee_total::numeric, quoted.price)
          is distinct from (o.requested_by, o.type, payer.id, o.destination,
           o.beneficiary, o.asset, o.amount, o.target_asset,
           o.target_amount, o.fee_total, o.price) then
      refusal := 'quote_unusable';
    else
      -- what was quoted is what happens, even if the threshold has changed since
      approval := quoted.requires_approval;
    end if;
  end if;

  if refusal is null and o.kind = 'transfer'
     and exists (select from transfer_limits l where l.type_code = o.type and l.asset = o.asset) then
    members := limit_check(o.customer, payer.id, recipient, o.type, o.asset, o.amount, today);
    if members is not null then refusal := 'limit_exceeded'; end if;
  end if;

  if refusal is null then
    legs := transfer_legs(o.id, payer.id, payee.id, o.asset, o.amount, o.target_asset, o.target_amount,
      o.fee_total, o.legs);
    select g.status, g.due into status, due
      from transfer_gate(0, approval, o.kind, payer.id, o.type, o.beneficiary is not null) g;
    if status in ('pending_approval', 'aml_review', 'queued') then
      refusal := case
        when payer.status = 'closed' or payee.status = 'closed' then 'account_closed'
        when payer.status in ('blocked', 'frozen') or payee.status = 'frozen' then 'account_blocked'
        when payer.kind = 'customer' and payer.posted - payer.held + payer.overdraft_limit < total
          then 'insufficient_funds' end;
      if refusal is null and payer.kind = 'customer' then
        update accounts set held = held + total where id = payer.id;
        insert into holds (account_id, amount, source_type, source_id)
          values (payer.id, total, 'transfer', o.id) returning id into new_hold;
      end if;
    else
      select p.transaction_id, p.refusal into transaction, refusal
        from post_legs(o.id, o.kind, legs, o.description, coalesce(o.value_date, today),
          original.transaction_id, null) p;
    end if;
  end if;

  if refusal is not null then
    status := null;
    update idempotency_keys k set refusal = jsonb_strip_nulls(jsonb_build_object(
        'code', transfer_open.refusal, 'members', transfer_open.members))
      where k.resource_id = o.id;
    return;
  end if;

  if approval then
    wait_seconds := coalesce(o.approval_seconds, kind_of.approval_seconds);
    until := clock_timestamp() + make_interval(secs => wait_seconds);
  elsif status = 'queued' then
    wait_seconds := ceil(extract(epoch from due - clock_timestamp()))::int;
  end if;
  if o.kind = 'transfer' then
    perform limit_count(o.customer, payer.id, recipient, o.type, o.asset, o.amount, today);
  end if;
  insert into transfers (
      id, kind, type_code, status, requested_by, customer_id, source_account_id, destination_account_id,
      beneficiary_id, asset, amount, target_asset, target_amount, fee_total, price, legs,
      description, reason, quote_id, reverses_id, value_date, limit_day, requires_approval,
      hold_id, transaction_id, approve_until, due_at, submitted_at, finished_at)
    values (
      o.id, o.kind, o.type, status, o.requested_by, o.customer, payer.id, payee.id,
      o.beneficiary, o.asset, o.amount, o.target_asset, o.target_amount, o.fee_total, o.price, o.legs,
      o.description, o.reason, o.quote, o.reverses, o.value_date, today, approval,
      new_hold, transaction, until, due, case when status = 'submitted' then clock_timestamp() end,
      case when status = 'executed' then clock_timestamp() end);
  update transfer_quotes set transfer_id = o.id where id = o.quote;
  -- what an administrator asks for is written with what it does
  if o.kind <> 'transfer' then
    insert into audit_log (actor_id, actor_role, action, subject_type, subject_id, after, reason)
      values (o.requested_by, 'admin', o.kind || '.requested', 'transfer', o.id::text,
              jsonb_build_object('status', status, 'source_account_id', payer.id,
                'destination_account_id', payee.id, 'amount', decimal_of(o.amount, o.asset),
                'currency', o.asset),
              o.reason);
  end if;
end $$;
