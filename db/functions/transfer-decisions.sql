-- Who may decide on a transfer, how a decision is accepted, and how it is carried out later.

-- Says why somebody may not decide so, or null. Customers cancel transfers of their own. Administrators who
-- review transfers decide on all of them, but none executes what they have asked for or gain from, nor what
-- was asked for by somebody whom they do not stand apart from; who may close accounts cancels what waits on
-- one.
create or replace function transfer_decider_fault(t transfers, decision text, decider uuid) returns text
language plpgsql stable set search_path = public, pg_temp as $$
begin
  if decision = 'cancel' and t.kind = 'transfer' and decider = t.customer_id
     and exists (select from users u where u.id = decider and u.status = 'active') then
    return null;
  end if;
  if missing_action(decider, array['transfers:review']) is not null
     and (decision <> 'cancel' or missing_action(decider, array['accounts:write']) is not null) then
    return 'permission_not_held';
  end if;
  if decision = 'execute' and (decider = t.customer_id or not independent_of(decider, t.requested_by)
     or exists (select from accounts a where a.id = t.destination_account_id and a.owner_id = decider)) then
    return 'same_person';
  end if;
  return null;
end $$;

-- Accepts a decision, to be carried out by the transfer's process. One at a time is accepted; the same one by
-- the same person again is the one accepted before. Nothing is approved after its time, even if nobody has
-- expired it yet. Returns the decision's id, or a refusal.
create or replace function transfer_decision_accept(
  t_id uuid, decision_id uuid, wanted text, decider uuid, why text, request text,
  out accepted uuid, out refusal text
) language plpgsql security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
set enable_material = off as $$
declare t transfers; before transfer_decisions;
begin
  -- whatever ends the transfer locks it too, so that nothing is accepted that nobody would carry out
  select * into t from transfers x where x.id = t_id for no key update;
  if t.id is null then
    refusal := 'not_found';
    return;
  end if;
  select d.id into accepted from transfer_decisions d where d.id = decision_id and d.transfer_id = t_id;
  if accepted is not null then
    return;
  end if;
  refusal := transfer_decider_fault(t, wanted, decider);
  if refusal is not null then
    return;
  end if;
  select * into before from transfer_decisions d where d.transfer_id = t_id and d.state <> 'refused'
    order by d.created_at desc, d.id desc limit 1;
  if before.state = 'accepted' and before.decided_by = decider and before.kind = wanted then
    accepted := before.id;
    return;
  end if;
  if before.state = 'accepted' or not transfer_is_held(t.status)
     or (wanted = 'execute'
       and (t.status <> 'pending_approval' or t.approve_until <= bank_now())) then
    refusal := 'transfer_not_pending';
    return;
  end if;
  insert into transfer_decisions (id, transfer_id, kind, decided_by, reason, request_id)
    values (decision_id, t_id, wanted, decider, why, request);
  accepted := decision_id;
end $$;
grant execute on function transfer_decision_accept to teller_app;

-- Carries out a step of a transfer that a row of this database or the clock has decided. source and
-- source_id: 'decision' and an accepted decision; 'flag' and a flag that held it and is resolved;
-- 'report' and a report of the rail on this transfer; 'time' and null, which expires it, sends it to the rail
-- or lets it go if that is due, and otherwise changes nothing. What was carried out before is answered as it
-- is now. Where the caller screens, a payee who was not compared with the lists of now is 'unavailable' until
-- that is done. Returns the status, how long the transfer waits as it is, whether this call changed it, and
-- who has decided what.
create or replace function transfer_carry_out(
  t_id uuid, source text, source_id text, screens boolean default false,
  out status text, out refusal text, out changed boolean, out wait_seconds int, out was text,
  out kind text, out decider uuid, out decider_role text, out reason text, out request_id text, out code text
) language plpgsql security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
set enable_material = off set lock_timeout = '500ms' as $$
declare t transfers; d transfer_decisions; f aml_flags; m rail_messages; c aml_flags;
begin
  changed := false;
  select * into t from transfers x where x.id = t_id;
  status := t.status;
  if source = 'decision' then
    select * into d from transfer_decisions x where x.id = source_id::uuid and x.transfer_id = t_id;
    kind := d.kind;
    decider := d.decided_by;
    reason := d.reason;
    request_id := d.request_id;
    decider_role := case when d.decided_by = t.customer_id and t.kind = 'transfer' then 'customer'
      else 'admin' end;
  elsif source = 'flag' then
    select * into f from aml_flags x where x.id = source_id::uuid and exists (
      select from aml_held_transfers(x.id) h where h.id = t_id
      union all select from aml_hits h where h.flag_id = x.id and h.subject_id = t_id
      union all select where x.subject_id in (t.source_account_id, t.destination_account_id,
        t.beneficiary_id)
      union all select where flag_is_of_customer(x) and x.customer_id in (t.customer_id,
        (select a.owner_id from accounts a where a.id = t.destination_account_id))
      union all select from screening_flags_of(t) s where s.id = x.id);
    kind := case when f.id is not null then 'clear' end;
    -- not the reviewer's note, which is for those only who may read flags
    decider := f.resolved_by;
    decider_role := 'admin';
  elsif source = 'report' then
    select * into m from rail_messages x where x.message_id = source_id and x.transfer_id = t_id;
    kind := case m.kind when 'accepted' then 'none' when 'settled' then 'settle' when 'rejected' then 'refuse'
      when 'returned' then 'return' end;
    code := m.code;
  elsif source = 'time' then
    kind := case t.status when 'pending_approval' then 'expire' when 'queued' then 'due'
      when 'aml_review' then 'clear' else 'none' end;
  end if;
  -- a suspicion that is confirmed ends what it holds, whoever asks
  if kind = 'clear' then
    select x.* into c from aml_flags x where x.id = transfer_confirmed(t);
    if c.id is not null then
      kind := 'reject';
      decider := c.resolved_by;
      reason := null;
      decider_role := 'admin';
    end if;
  end if;
  decider_role := coalesce(decider_role, 'system');
  if t.id is null or kind is null then
    refusal := 'not_found';
    return;
  end if;

  if d.state = 'done' or kind = 'none' then
    return;
  end if;
  if d.state = 'refused' then
    refusal := d.refusal;
    return;
  end if;
  if source = 'flag' and f.resolved_at is null then
    refusal := 'aml_flag_open';
    return;
  end if;
  if kind = 'expire' and t.approve_until > bank_now() then
    wait_seconds := greatest(ceil(extract(epoch from t.approve_until - bank_now()))::int, 1);
    return;
  end if;

  -- the payee has to be screened against the lists of now, and then this is asked for again
  if screens and kind in ('execute', 'clear', 'due') and not screening_is_current(t.beneficiary_id) then
    refusal := 'unavailable';
    return;
  end if;
  -- the permission may have been taken, or the person blocked, since the decision was accepted
  if source = 'decision' then refusal := transfer_decider_fault(t, kind, decider); end if;
  if refusal is null then
    select v.status, v.refusal, v.changed, v.wait_seconds, v.was
      into status, refusal, changed, wait_seconds, was
      from transfer_move(t_id, kind, decider, reason, d.id, code) v;
  end if;
  if source = 'decision' then
    update transfer_decisions x set refusal = transfer_carry_out.refusal, concluded_at = bank_now(),
        state = case when transfer_carry_out.refusal is null then 'done' else 'refused' end
      where x.id = d.id and x.state = 'accepted';
  end if;
end $$;
grant execute on function transfer_carry_out to teller_app;

-- Refuses a decision that can never be carried out, nor its transfer be failed, so that another can be taken.
-- Returns its id if it was still waiting.
create or replace function transfer_decision_give_up(decision_id uuid) returns uuid
language sql security definer set search_path = public, pg_temp as $$
  update transfer_decisions
    set state = 'refused', refusal = 'internal_error', concluded_at = bank_now()
    where id = decision_id and state = 'accepted' returning id
$$;
grant execute on function transfer_decision_give_up to teller_app;

-- Refuses a decision that was accepted and not carried out once its transfer has left the bank or ended.
create or replace function conclude_decisions() returns trigger language plpgsql as $$
begin
  if not transfer_is_held(new.status) then
    update transfer_decisions d
      set state = 'refused', refusal = 'transfer_not_pending', concluded_at = bank_now()
      where d.transfer_id = new.id and d.state = 'accepted' and d.id is distinct from new.decision_id;
  end if;
  return null;
end $$;
create or replace trigger transfers_conclude_decisions after update of status on transfers
  for each row execute function conclude_decisions();

-- Removes the entry of the outbox that was to bring the decision to its process, now that it is concluded.
create or replace function forget_decision_update() returns trigger language plpgsql as $$
begin
  delete from process_updates u using transfers t
    where t.id = new.transfer_id and u.workflow_id = t.kind || '/' || t.id and u.update_id = new.id::text;
  return null;
end $$;
create or replace trigger transfer_decisions_forget_update after update of state on transfer_decisions
  for each row when (new.state <> 'accepted') execute function forget_decision_update();

-- Refuses to rewrite a decision: it is concluded, once.
create or replace function check_decision_change() returns trigger language plpgsql as $$
begin
  if old.state <> 'accepted' or new.state = 'accepted'
     or (new.id, new.transfer_id, new.kind, new.decided_by, new.reason, new.request_id, new.created_at)
        is distinct from
        (old.id, old.transfer_id, old.kind, old.decided_by, old.reason, old.request_id, old.created_at) then
    raise exception 'decision % cannot be rewritten', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create or replace trigger transfer_decisions_change before update on transfer_decisions
  for each row execute function check_decision_change();
create or replace trigger transfer_decisions_never_deleted before delete on transfer_decisions
  for each row execute function refuse_change();
