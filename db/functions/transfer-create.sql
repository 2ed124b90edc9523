-- How orders to move money are taken: what holds nothing is booked at once, what must wait is held, and
-- its process starts by the outbox. All of it is one transaction for a batch of callers, without a word to
-- Temporal.

-- Returns the advisory lock of an idempotency key or of a step-up token.
create or replace function claim_lock(variadic parts text[]) returns bigint
language sql immutable as $$ select hashtextextended(array_to_string(parts, chr(31)), 7302) $$;

-- Takes orders of many callers, each with the idempotency key and the step-up token that it claims.
--
-- claims: [{ caller, operation?, key?, hmac?, step_up?, request_id?, trace?, approval_seconds?, screened?,
-- order }]; trace is the traceparent of the request, and the order has the names of the columns of transfers,
-- and what screening_verdict takes of a payee outside.
-- An order of a schedule has no key; the row of its day takes its place.
-- every_run: orders that end at once get a process too, for operators who want to see all of them.
--
-- Returns a row for each claim, in their order. 'is_repeat': the key, or the id, was there before; read
-- what it stands for. Otherwise a refusal with its members, which is also written into the key's row, or
-- the transfer as it is now. Where the refusal is idempotency_in_progress, step_up_required, forbidden,
-- unauthenticated, or unavailable because the payee was screened against older lists, nothing was written.
--
-- Order of locks: keys and tokens, which are tried and never waited for; types, shared; days of schedules;
-- accounts by id; counters of limits; quotes. An account that somebody else holds for longer than the
-- time-out undoes the whole batch.
--
-- Plans are made while tables are small, and kept; rows are few and found by their keys, so no plan may read
-- a table whole.
create or replace function transfers_create(claims jsonb, every_run boolean)
returns table (
  ord int, refusal text, members jsonb, is_repeat boolean,
  transfer transfers, payee beneficiaries, payee_number text
)
language plpgsql security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set lock_timeout = '500ms'
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
set enable_material = off as $$
declare
  busy bigint[]; item record; judged record; posted record; t transfers;
  count int := jsonb_array_length(claims);
  ids uuid[] := array_fill(null::uuid, array[count]);
  refusals text[] := array_fill(null::text, array[count]);
  details jsonb[] := array_fill(null::jsonb, array[count]);
  repeats boolean[] := array_fill(false, array[count]);
  tokens uuid[] := array_fill(null::uuid, array[count]);
  made transfers[] := '{}';
  -- what is booked at once, and which claim and which transfer each command is of
  commands jsonb := '[]'; later transfers[] := '{}'; later_of int[] := '{}';
  -- who has more than one of these orders; what the watch knows of those that are booked later
  crowded uuid[] := '{}'; watched aml_movements[] := '{}'; hits jsonb := '[]'; booked uuid[] := '{}';
begin
  select coalesce(array_agg(l.lock), '{}') into busy from (
    select distinct claim_lock(variadic parts) as lock from jsonb_array_elements(claims) c,
      lateral (values
        (case when c->>'key' is not null then array[c->>'caller', c->>'operation', c->>'key'] end),
        (case when c->>'step_up' is not null then array[c->>'step_up'] end)) v(parts)
      where parts is not null offset 0) l
    where not pg_try_advisory_xact_lock(l.lock);

  perform pg_advisory_xact_lock_shared(transfer_type_lock(x.code)) from (
    select distinct c->'order'->>'type_code' as code from jsonb_array_elements(claims) c order by 1) x
    where x.code is not null;
  -- the authority of a schedule is the row of its day, which is noted as refused under the same lock
  perform 1 from scheduled_transfer_runs where transfer_id = any (array(
    select (c->'order'->>'id')::uuid from jsonb_array_elements(claims) c where c->>'caller' is null))
    order by transfer_id for update;
  perform 1 from accounts where id = any (array(
    select coalesce((o->>(side || '_account_id'))::uuid, case
             when side = 'destination' and o->>'beneficiary_id' is not null
               then house_account('clearing', coalesce(o->>'target_asset', o->>'asset'), (o->>'id')::uuid)
             else house_account('adjustments', o->>'asset', (o->>'id')::uuid) end)
      from jsonb_array_elements(claims) c(c), lateral (select c->'order') x(o),
           unnest(array['source', 'destination']) side
    union all select house_account(leg->>'at', leg->>'asset', (c->'order'->>'id')::uuid)
      from jsonb_array_elements(claims) c(c), jsonb_array_elements(c->'order'->'legs') leg
      where leg->>'at' not in ('source', 'destination')
    union all select reversed.account_id
      from jsonb_array_elements(claims) c(c), lateral (
        select e.account_id from transfers original
          join ledger_entries e on e.transaction_id = original.transaction_id
          where original.id = (c->'order'->>'reverses_id')::uuid offset 0) reversed
      where c->'order'->>'reverses_id' is not null))
    order by id for no key update;
  -- what customers move, and how much of their limits is used, is looked at by one call at a time
  perform limit_lock(array(select x.customer from transfer_customers(claims) x));
  if exists (select from aml_rules r where r.status in ('live', 'shadow')) then
    crowded := array(select x.customer from transfer_customers(claims) x
      group by x.customer having count(*) > 1);
  end if;

  for item in
    select n::int as n, c->>'caller' as caller, c->>'operation' as operation, c->>'key' as key,
           decode(c->>'hmac', 'hex') as hmac, (c->>'step_up')::uuid as step_up,
           (c->>'approval_seconds')::int as approval_seconds, c->>'request_id' as request_id,
           c->'screened' as screened, c->'order' as wanted
      from jsonb_array_elements(claims) with ordinality x(c, n) order by n
  loop
    t := transfer_ordered(item.wanted);
    t.origin_request_id := item.request_id;
    if claim_lock(item.caller, item.operation, item.key) = any (busy)
       or claim_lock(item.step_up::text) = any (busy) then
      refusals[item.n] := 'idempotency_in_progress';
      continue;
    end if;
    if item.key is not null then
      insert into idempotency_keys (caller, operation, key, resource_id, request_hmac)
        values (item.caller, item.operation, item.key, t.id, item.hmac)
        on conflict (caller, operation, key) do nothing;
      repeats[item.n] := not found;
    else
      repeats[item.n] := exists (select from transfers x where x.id = t.id);
    end if;
    continue when repeats[item.n];

    select * into judged from transfer_judge(t, item.caller::uuid, item.approval_seconds,
      item.screened);
    if item.step_up is not null and (item.step_up = any (tokens)
         or exists (select from step_up_uses u where u.step_up_id = item.step_up)) then
      judged.refusal := 'step_up_required';
    end if;
    t := judged.judged;
    if judged.refusal is null and judged.legs is not null then
      t.transaction_id := uuidv7();
      if judged.alone or exists (select from unnest(judged.movements) m
          where m.customer_id = any (crowded)) then
        judged.alone := true;
        select p.verdict into judged.refusal
          from ledger_post(jsonb_build_array(transfer_command(t, judged.legs))) p;
        judged.refusal := nullif(judged.refusal, 'posted');
      else
        commands := commands || transfer_command(t, judged.legs);
        later := later || t;
        later_of := later_of || item.n;
        watched := watched || judged.movements;
        hits := hits || judged.hits;
      end if;
    end if;
    if judged.refusal is null then
      ids[item.n] := t.id;
      tokens[item.n] := item.step_up;
      if judged.legs is null or judged.alone then
        made := made || transfer_taken(t);
        perform aml_keep(judged.movements, judged.hits);
      end if;
    else
      refusals[item.n] := judged.refusal;
      details[item.n] := judged.members;
    end if;
  end loop;

  for posted in select p.ord, p.verdict from ledger_post(commands) p where commands <> '[]' loop
    if posted.verdict = 'posted' then
      made := made || transfer_taken(later[posted.ord]);
      booked := booked || later[posted.ord].id;
    else
      refusals[later_of[posted.ord]] := posted.verdict;
      ids[later_of[posted.ord]] := null;
      tokens[later_of[posted.ord]] := null;
    end if;
  end loop;

  perform aml_keep(array(select m from unnest(watched) m where m.subject_id = any (booked)),
    jsonb_path_query_array(hits, '$[*] ? (@.subject_id == $ids[*])',
      jsonb_build_object('ids', to_jsonb(booked))));

  with inserted as (insert into transfers select * from unnest(made) returning transfers as transfer)
    select coalesce(array_agg(i.transfer), '{}') into made from inserted i;
  insert into step_up_uses (step_up_id, resource_id)
    select u.token, u.id from unnest(tokens, ids) u(token, id) where u.token is not null;
  insert into process_outbox (workflow_id, process, input)
    select m.kind || '/' || m.id, m.kind, jsonb_build_object(
        'workflowId', m.kind || '/' || m.id, 'name', m.kind, 'type', m.kind,
        'summary', initcap(m.kind) || ' ' || m.id, 'customer', m.customer_id,
        'input', jsonb_build_object('id', m.id, 'kind', m.kind, 'customerId', m.customer_id),
        'trace', (select c->>'trace' from jsonb_array_elements(claims) c
          where c->'order'->>'id' = m.id::text))
      from unnest(made) m where every_run or m.finished_at is null
    on conflict (workflow_id) do nothing;
  -- what may be otherwise in a moment, or is about who asks and not about what they ask, leaves no mark on
  -- the key
  delete from idempotency_keys k
    using jsonb_array_elements(claims) with ordinality x(c, n)
    where refusals[n] in ('step_up_required', 'forbidden', 'unauthenticated', 'unavailable')
      and k.resource_id = (c->'order'->>'id')::uuid;
  update idempotency_keys k
     set refusal = jsonb_strip_nulls(jsonb_build_object('code', refusals[n], 'members', details[n]))
    from jsonb_array_elements(claims) with ordinality x(c, n)
    where refusals[n] is not null and k.resource_id = (c->'order'->>'id')::uuid;

  return query
    select u.n, refusals[u.n], details[u.n], repeats[u.n], x,
           (select b from beneficiaries b where b.id = x.beneficiary_id),
           (select d.number from accounts d where d.id = x.destination_account_id)
      from generate_series(1, count) u(n) left join unnest(made) x on x.id = ids[u.n]
      order by u.n;
end $$;
grant execute on function transfers_create to teller_app;

-- Returns the order as a row of transfers: what was asked for, and nothing that only the books say.
create or replace function transfer_ordered(wanted jsonb) returns transfers
language plpgsql set search_path = public, pg_temp as $$
declare asked transfers := jsonb_populate_record(null::transfers, wanted); t transfers;
begin
  t.id := asked.id;
  t.kind := asked.kind;
  t.type_code := asked.type_code;
  t.requested_by := asked.requested_by;
  t.customer_id := asked.customer_id;
  t.source_account_id := asked.source_account_id;
  t.destination_account_id := asked.destination_account_id;
  t.beneficiary_id := asked.beneficiary_id;
  t.asset := asked.asset;
  t.amount := asked.amount;
  t.target_asset := coalesce(asked.target_asset, asked.asset);
  t.target_amount := coalesce(asked.target_amount, asked.amount);
  t.fee_total := coalesce(asked.fee_total, 0);
  t.price := asked.price;
  -- what is booked beside the two sides is fees and the exchange; a reversal takes back what it reverses
  if asked.legs is not null and (asked.kind <> 'transfer' or exists (
       select from jsonb_array_elements(asked.legs) leg where leg ? 'account'
         or coalesce(leg->>'at', '') <> all ('{source,destination,fees,fx_position,fx_spread}'))) then
    raise exception 'transfer % books where no order may', asked.id using errcode = 'check_violation';
  end if;
  t.legs := asked.legs;
  t.description := asked.description;
  t.reason := asked.reason;
  t.quote_id := asked.quote_id;
  t.reverses_id := asked.reverses_id;
  t.value_date := asked.value_date;
  t.created_at := bank_now();
  return t;
end $$;

-- Returns whether this caller may give this order: customers about their own accounts, a schedule what its
-- row says, administrators what they hold the permission for.
create or replace function transfer_allowed(t transfers, caller uuid) returns text
language sql stable set search_path = public, pg_temp as $$
  select case
    when t.kind = 'transfer' then case
      when t.requested_by <> t.customer_id
        or not exists (select from accounts a where a.id = t.source_account_id and a.owner_id = t.customer_id)
        then 'not_found'
      when caller is not null
        and not exists (select from users u where u.id = t.customer_id and u.status = 'active')
        then 'unauthenticated'
      when caller is distinct from t.customer_id and (caller is not null or not exists (
        select from scheduled_transfer_runs r join scheduled_transfers s on s.id = r.scheduled_transfer_id
          where r.transfer_id = t.id and r.refusal is null and s.user_id = t.customer_id
            and s.source_account_id = t.source_account_id
            and s.asset = t.asset and s.target_asset = t.target_asset
            and s.amount = case s.fixed_side when 'source' then t.amount else t.target_amount end
            and (s.destination_account_id, s.beneficiary_id)
              is not distinct from (t.destination_account_id, t.beneficiary_id)))
        then 'not_found' end
    when caller is distinct from t.requested_by
      or missing_action(caller, array[
           case t.kind when 'adjustment' then 'adjustments:write' else 'transfers:reverse' end]) is not null
      then 'forbidden'
    when t.kind = 'adjustment' and ((t.source_account_id is null) = (t.destination_account_id is null)
        or not exists (select from accounts a where a.owner_id = t.customer_id
          and a.id = coalesce(t.source_account_id, t.destination_account_id)))
      then 'not_found' end
$$;

-- Returns the customers whom these orders concern: who pays, and who is paid at this bank.
create or replace function transfer_customers(claims jsonb) returns table (customer uuid)
language sql stable set search_path = public, pg_temp as $$
  select (c->'order'->>'customer_id')::uuid from jsonb_array_elements(claims) c
    where c->'order'->>'kind' = 'transfer'
  union all
  select a.owner_id from jsonb_array_elements(claims) c
    join accounts a on a.id = (c->'order'->>'destination_account_id')::uuid
    where c->'order'->>'kind' = 'transfer' and a.owner_id is not null
      and a.owner_id <> (c->'order'->>'customer_id')::uuid
$$;

-- Looks at an order under the locks of transfers_create. Returns a refusal with its members, or the
-- transfer with its status: if it is booked now, with its legs, and whether that must happen before the
-- next order is looked at, because a limit or a quote depends on it.
create or replace function transfer_judge(
  t transfers, caller uuid, approval_seconds int, screened jsonb,
  out refusal text, out members jsonb, out judged transfers, out legs jsonb, out alone boolean,
  out movements aml_movements[], out hits jsonb
) language plpgsql set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan as $$
declare
  payer_id uuid; payee_id uuid; payer accounts; payee accounts;
  type_of transfer_types; threshold minor; quoted transfer_quotes;
  original transfers; outside boolean := t.beneficiary_id is not null; limited boolean; gate record;
  verdict record; names record; is_held boolean := false;
begin
  movements := '{}';
  hits := '[]';
  refusal := transfer_allowed(t, caller);
  if refusal is not null then return; end if;
  -- asked for once: in a condition, a function that may write would be called for every account of the bank
  payer_id := coalesce(t.source_account_id, house_account('adjustments', t.asset, t.id));
  payee_id := coalesce(t.destination_account_id,
    house_account(case when outside then 'clearing' else 'adjustments' end, t.target_asset, t.id));
  select * into payer from accounts where id = payer_id;
  select * into payee from accounts where id = payee_id;
  if t.kind = 'transfer' then
    select * into type_of from transfer_types x where x.code = t.type_code and x.enabled;
    select c.approval_above into threshold from transfer_type_currencies c
      where c.type_code = type_of.code and c.asset = t.asset;
    t.limit_day := bank_day(t.created_at);
  elsif t.kind = 'reversal' then
    select * into original from transfers x where x.id = t.reverses_id;
    select jsonb_agg(jsonb_build_object('account', e.account_id, 'asset', e.asset,
             'amount', (-e.amount)::text, 'part', e.part) order by e.amount desc)
      into t.legs from ledger_entries e where e.transaction_id = original.transaction_id;
  end if;
  t.requires_approval := t.kind <> 'transfer' or t.amount > threshold;
  refusal := case
    when payer.id is null or payee.id is null then 'not_found'
    -- a customer pays a customer, or somebody outside, and not both
    when t.kind = 'transfer' and (payee.kind = 'customer' and t.destination_account_id is not null) = outside
      then 'not_found'
    when payer.id = payee.id then 'same_account'
    when t.kind = 'transfer' and (threshold is null or not transfer_reaches(t, type_of.reach, payer, payee))
      then 'transfer_type_unavailable'
    when t.kind = 'reversal' and not transfer_reversible(original, payer, payee) then 'not_reversible'
    when payer.asset <> t.asset or payee.asset <> t.target_asset then 'currency_mismatch' end;
  if refusal is not null then return; end if;

  if t.quote_id is not null then
    select * into quoted from transfer_quotes q where q.id = t.quote_id for update;
    if quoted.transfer_id is not null or quoted.expires_at <= bank_now()
       or (quoted.requested_by, quoted.type_code, quoted.source_account_id, quoted.destination_account_id,
           quoted.beneficiary_id, quoted.asset, quoted.amount, quoted.target_asset, quoted.target_amount,
           quoted.fee_total, quoted.price)
          is distinct from (t.requested_by, t.type_code, payer.id, t.destination_account_id,
           t.beneficiary_id, t.asset, t.amount, t.target_asset, t.target_amount, t.fee_total, t.price) then
      refusal := 'quote_unusable';
      return;
    end if;
    -- what was quoted is what happens, even if the threshold has changed since
    t.requires_approval := quoted.requires_approval;
  elsif t.kind = 'transfer' and t.asset <> t.target_asset
        and (t.target_amount > fx_most(t.asset, t.amount, t.target_asset)) is not false then
    refusal := 'rate_unavailable';
    return;
  end if;

  limited := t.kind = 'transfer' and exists (select from transfer_limits l
    where l.type_code = t.type_code and l.asset = t.asset);
  if limited then
    t.source_account_id := payer.id;
    t.destination_account_id := payee.id;
    members := transfer_limit_passed(t, t.created_at);
    if members is not null then
      refusal := 'limit_exceeded';
      return;
    end if;
  end if;

  if t.kind = 'transfer' then
    t.source_account_id := payer.id;
    t.destination_account_id := payee.id;
    select * into verdict from transfer_verdict(t, payer, payee);
    if verdict.action = 'block' then
      perform aml_keep_hits(verdict.hits);
      refusal := 'transfer_declined';
      return;
    end if;
    select * into names from screening_verdict(t, verdict.movements[1], screened);
    refusal := names.refusal;
    if refusal is not null then return; end if;
    movements := verdict.movements;
    hits := verdict.hits || names.hits;
    is_held := coalesce(verdict.action = 'hold', false) or names.hits <> '[]' or transfer_is_flagged(t);
  end if;

  legs := transfer_legs(t.id, payer.id, payee.id, t.asset, t.amount, t.target_asset, t.target_amount,
    t.fee_total, t.legs);
  t.source_account_id := payer.id;
  t.destination_account_id := payee.id;
  select g.status, g.due into gate
    from transfer_gate(0, t.requires_approval, t.kind, payer.id, t.type_code, outside, is_held) g;
  t.status := gate.status;
  t.due_at := gate.due;
  if t.status in ('submitted', 'executed') then
    t.submitted_at := case t.status when 'submitted' then bank_now() end;
    t.finished_at := case t.status when 'executed' then bank_now() end;
    alone := limited or t.quote_id is not null;
  else
    legs := null;
    refusal := case
      when payer.status = 'closed' or payee.status = 'closed' then 'account_closed'
      when payer.status in ('blocked', 'frozen') or payee.status = 'frozen' then 'account_blocked'
      when payer.kind = 'customer'
        and payer.posted - payer.held + payer.overdraft_limit < t.amount + t.fee_total
        then 'insufficient_funds' end;
    -- one that is held by a flag looks to its payer like one that waits for an approval
    if t.requires_approval or t.status = 'aml_review' then
      t.approve_until := bank_now()
        + make_interval(secs => coalesce(transfer_judge.approval_seconds, type_of.approval_seconds));
    end if;
  end if;
  judged := t;
end $$;

-- Returns whether a movement can be taken back from the account that it paid to the one that paid.
create or replace function transfer_reversible(original transfers, payer accounts, payee accounts)
returns boolean
language sql stable set search_path = public, pg_temp as $$
  select coalesce(original.status = 'executed' and original.beneficiary_id is null
    and original.kind <> 'reversal'
    and (original.source_account_id, original.destination_account_id) = (payee.id, payer.id)
    and not exists (select from transfers r where r.reverses_id = original.id
      and r.status in ('pending_approval', 'aml_review', 'executed')), false)
$$;

-- Returns the ledger's command that books a transfer.
create or replace function transfer_command(t transfers, legs jsonb) returns jsonb
language sql stable set search_path = public, pg_temp as $$
  select jsonb_strip_nulls(jsonb_build_object('id', t.transaction_id, 'kind', t.kind,
    'source_type', 'transfer', 'source_id', t.id, 'description', t.description,
    'value_date', t.value_date, 'entries', legs))
$$;

-- Does what belongs to a transfer that is taken: holds the money of one that waits, counts its limits,
-- spends its quote, and writes down what an administrator asked for.
create or replace function transfer_taken(t transfers) returns transfers
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare refused text;
begin
  if transfer_is_held(t.status)
     and exists (select from accounts a where a.id = t.source_account_id and a.kind = 'customer') then
    select h.hold_id, h.refusal into t.hold_id, refused
      from hold_open('transfer', t.id, t.source_account_id, t.asset, t.amount + t.fee_total, null, false) h;
    if refused is not null then
      raise exception 'transfer % was judged and cannot be held: %', t.id, refused;
    end if;
  end if;
  if t.kind = 'transfer' then
    perform transfer_limit_count(t, t.created_at);
    update transfer_quotes set transfer_id = t.id where id = t.quote_id;
  else
    insert into audit_log (actor_id, actor_role, action, subject_type, subject_id, after, reason, request_id)
      values (t.requested_by, 'admin', t.kind || '.requested', 'transfer', t.id::text,
              jsonb_build_object('status', t.status, 'source_account_id', t.source_account_id,
                'destination_account_id', t.destination_account_id, 'amount', decimal_of(t.amount, t.asset),
                'currency', t.asset), t.reason, t.origin_request_id);
  end if;
  return t;
end $$;

-- Refuses a quote that promises more than the rates of now, spares the approval that the threshold of now
-- asks for, or lives longer than a few minutes.
create or replace function check_quote() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not by_application() then return new; end if;
  new.created_at := bank_now();
  if new.expires_at > bank_now() + interval '10 minutes'
     or (new.asset <> new.target_asset
       and (new.target_amount > fx_most(new.asset, new.amount, new.target_asset)) is not false)
     or (not new.requires_approval and exists (select from transfer_type_currencies c
       where c.type_code = new.type_code and c.asset = new.asset and new.amount > c.approval_above)) then
    raise exception 'quote % says what nobody may promise', new.id using errcode = 'check_violation';
  end if;
  return new;
end $$;

create or replace trigger transfer_quotes_honest before insert on transfer_quotes
  for each row execute function check_quote();
