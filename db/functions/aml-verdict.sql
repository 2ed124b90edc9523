-- Judging a movement by the rules in force, in the transaction that would book it.

-- Judges a movement of any kind. action: the strictest of the rules that hit: 'block', 'hold', 'flag', or
-- null. hits: what aml_keep_hits writes down. What could not be checked is held. The caller holds the lock of
-- the customer (limit_lock) and goes on with aml_keep if the movement happens.
create or replace function movement_verdict(m aml_movements, out action text, out hits jsonb)
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare met record; one jsonb;
begin
  hits := '[]';
  if not exists (select from aml_rules r where r.status in ('live', 'shadow')) then return; end if;
  begin
    for met in
      select r.id, r.code, r.status, v.version, v.severity, v.action, v.condition, o.outcome,
          exists (select from aml_suppressions s where s.rule_id = r.id and s.customer_id = m.customer_id
            and s.until > m.at) as suppressed
        from aml_live_outcomes(m) o join aml_rules r on r.id = o.rule
          join aml_rule_versions v on v.rule_id = o.rule and v.version = o.version order by r.code
    loop
      one := aml_hit(m, case when met.status = 'shadow' then 'shadow' when met.suppressed then 'suppressed'
          when met.outcome then 'hit' else 'not_checked' end, met.action, met.severity,
        aml_explanation(met.code, met.version, met.condition, m));
      hits := hits || (one || jsonb_build_object('rule_id', met.id, 'rule_version', met.version));
    end loop;
  exception when others then
    if heals_with_time(sqlstate) then raise; end if;
    hits := jsonb_build_array(aml_hit(m, 'not_checked', 'hold', 'high', jsonb_build_object('error', sqlstate,
      'leaves', '[]'::jsonb, 'movements', '[]'::jsonb, 'text', 'The rules could not be evaluated.')));
  end;
  select h->>'action' into action from jsonb_array_elements(hits) h where h ? 'action'
    order by array_position(array['block', 'hold', 'flag'], h->>'action') limit 1;
end $$;

-- Returns a hit as it is written down; without an action where nothing happens.
create or replace function aml_hit(
  m aml_movements, outcome text, action text, severity text, explanation jsonb
) returns jsonb
language sql stable set search_path = public, pg_temp as $$
  select jsonb_strip_nulls(jsonb_build_object('at', m.at, 'outcome', outcome, 'severity', severity,
    'action', case outcome when 'hit' then action when 'not_checked' then 'hold' end,
    'customer_id', m.customer_id, 'subject_type', m.subject_type, 'subject_id', m.subject_id,
    'amount_base', round(m.amount_base, 30))) || jsonb_build_object('explanation', explanation)
$$;

-- Keeps movements that happen, and what the rules have hit.
create or replace function aml_keep(movements aml_movements[], hits jsonb) returns void
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare m aml_movements;
begin
  foreach m in array movements loop
    m := aml_after_last(m);
    insert into aml_movements select (m).*;
  end loop;
  perform aml_keep_hits(hits);
end $$;

-- Writes hits down: each with a flag, or with the open one of the same customer and rule while it cools down,
-- or of the same customer and address on a list.
create or replace function aml_keep_hits(hits jsonb) returns void
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare h aml_hits; item jsonb; flag uuid; level text;
begin
  for item in select i from jsonb_array_elements(hits) i loop
    h := jsonb_populate_record(null::aml_hits, item);
    h.held := coalesce(item->>'action', '') = 'hold';
    flag := null;
    if item ? 'found' then
      flag := screening_flag(h, item->'found');
    elsif item ? 'action' then
      select f.id into flag from aml_flags f
        where f.customer_id = h.customer_id and f.resolved_at is null
          and (f.rule_id = h.rule_id and f.last_hit_at > h.at - (select v.cooldown::interval
              from aml_rule_versions v where (v.rule_id, v.version) = (h.rule_id, h.rule_version))
            or f.kind = 'sanctions' and (f.match->'list', f.match->'entry_id', f.match->'asked')
              = (item->'match'->'list', item->'match'->'entry_id', item->'match'->'asked'))
        order by f.last_hit_at desc limit 1 for update of f;
      if flag is null then
        flag := aml_flag_open(coalesce(item->>'kind', 'rule'), item->>'severity', h);
        update aml_flags f set match = item->'match' where f.id = flag and item ? 'match';
      else
        update aml_flags f set last_hit_at = h.at, held = f.held or h.held, updated_at = bank_now()
          where f.id = flag;
        insert into aml_flag_events (flag_id, kind, after) values (flag, 'hit', h.subject_id::text);
      end if;
    end if;
    insert into aml_hits (at, rule_id, rule_version, outcome, flag_id, customer_id, subject_type, subject_id,
        held, amount_base, explanation)
      values (h.at, h.rule_id, h.rule_version, h.outcome, flag, h.customer_id, h.subject_type, h.subject_id,
        h.held, h.amount_base, h.explanation);
  end loop;
end $$;

-- Opens a flag for what was hit, and returns its id.
create or replace function aml_flag_open(wanted_kind text, level text, h aml_hits) returns uuid
language plpgsql set search_path = public, pg_temp as $$
declare made uuid;
begin
  insert into aml_flags (kind, severity, reason, subject_type, subject_id, customer_id, rule_id, rule_version,
      explanation, held, last_hit_at, due_at)
    values (wanted_kind, level, h.outcome, h.subject_type, h.subject_id, h.customer_id, h.rule_id,
      h.rule_version, h.explanation, h.held, h.at, aml_due(level, bank_now()))
    returning id into made;
  insert into aml_flag_events (flag_id, kind) values (made, 'opened');
  return made;
end $$;

-- Judges both sides of a transfer: what its payer sends, and what another customer receives.
create or replace function transfer_verdict(
  t transfers, payer accounts, payee accounts, out action text, out movements aml_movements[], out hits jsonb
) language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare b beneficiaries; sent record; got record; m aml_movements;
begin
  if t.beneficiary_id is not null then
    select * into b from beneficiaries x where x.id = t.beneficiary_id;
  end if;
  m := aml_movement_of('outgoing_transfer', 'transfer', t.id, t.customer_id, payer.id, t.asset, t.amount,
    t.type_code, coalesce(b.iban, b.account, payee.iban, payee.number),
    coalesce(b.country, left(payee.iban, 2)), t.created_at);
  movements := array[m];
  select * into sent from movement_verdict(m);
  action := sent.action;
  hits := sent.hits;
  -- what somebody moves between accounts of their own counts once
  if payee.owner_id is null or payee.owner_id = t.customer_id then return; end if;
  m := aml_movement_of('incoming_transfer', 'transfer', t.id, payee.owner_id, payee.id, t.target_asset,
    t.target_amount, t.type_code, coalesce(payer.iban, payer.number), left(payer.iban, 2), t.created_at);
  movements := movements || m;
  select * into got from movement_verdict(m);
  hits := hits || got.hits;
  action := case when 'block' in (action, got.action) then 'block'
    when 'hold' in (action, got.action) then 'hold' else coalesce(action, got.action) end;
end $$;

-- Returns whether a flag is about the customer in its customer_id: about themselves, or about an application
-- of theirs, which holds no money that the flag could hold. It has no settings of its own, so that the
-- planner can write it into the query that asks.
create or replace function flag_is_of_customer(f aml_flags) returns boolean
language sql immutable as $$
  select f.subject_type in ('customer', 'kyc_application', 'kyb_application')
$$;
grant execute on function flag_is_of_customer to teller_app;

-- Returns whether a flag holds a transfer: one of its own or about its payee's name that is open or
-- confirmed, or an open one of a customer, an account or a payee that it touches.
create or replace function transfer_is_flagged(t transfers) returns boolean
language sql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
  select exists (select from aml_hits h join aml_flags f on f.id = h.flag_id
      where h.subject_id = t.id and h.held and (f.resolved_at is null or f.status = 'confirmed'))
    or exists (select from aml_flags f where f.resolved_at is null and (f.subject_id = t.id and f.held
      or f.subject_type in ('account', 'beneficiary') and f.subject_id = any (array[
        t.source_account_id, t.destination_account_id, t.beneficiary_id])
      or flag_is_of_customer(f) and f.customer_id = any (array[t.customer_id,
        (select a.owner_id from accounts a where a.id = t.destination_account_id)])))
    -- whom it pays is on a list, by a flag of whatever payment; what is made later is screened anew
    or exists (select from screening_flags_of(t) f where f.resolved_at is null
      or f.status = 'confirmed' and t.created_at <= f.resolved_at)
    -- a customer who is on a list stays held
    or exists (select from aml_flags f where f.kind = 'sanctions' and f.status = 'confirmed'
      and flag_is_of_customer(f) and f.customer_id = any (array[t.customer_id,
        (select a.owner_id from accounts a where a.id = t.destination_account_id)]))
$$;

-- Returns a flag that is confirmed and that held a transfer: one of its own, or one of a customer, an
-- account or a payee that it touches, confirmed after it was made. Null if there is none.
create or replace function transfer_confirmed(t transfers) returns uuid
language sql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
  select c.id from (
    select f.id, f.resolved_at from aml_hits h join aml_flags f on f.id = h.flag_id
      where h.subject_id = t.id and h.held and f.status = 'confirmed'
    union all
    select f.id, f.resolved_at from aml_flags f where f.status = 'confirmed' and f.held
      and t.created_at <= f.resolved_at and (f.subject_id = any (array[t.id,
        t.source_account_id, t.destination_account_id, t.beneficiary_id])
      or flag_is_of_customer(f) and f.customer_id = any (array[t.customer_id,
        (select a.owner_id from accounts a where a.id = t.destination_account_id)]))
    union all
    select f.id, f.resolved_at from screening_flags_of(t) f
      where f.status = 'confirmed' and t.created_at <= f.resolved_at) c
    order by c.resolved_at limit 1
$$;
