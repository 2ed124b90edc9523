-- How transfers go on and end, and which moves their rows may make.

-- Executes, rejects, cancels, expires or goes on with an open transfer; the first decision stands. Who may
-- decide so is asked by the functions that call this one.
--
-- decision: by people 'execute' | 'reject' | 'cancel'; when a wait is over 'expire' | 'clear' | 'due'; by the
-- rail 'settle' | 'refuse' | 'return' (with its code). A repeat of the same decision by the same person is
-- answered as the first was. If the books refuse an execution, the transfer ends as failed with its hold
-- released; but an approval that finds no room on an account decides nothing, so that the transfer can be
-- rejected, or approved again later. What a flag has held passes limits, the rail's window and the account's
-- funds once more, as they are when it goes on. What the rail refuses or returns is booked back. Returns the
-- status, how long the transfer waits as it is, and whether this call changed anything.
create or replace function transfer_move(
  t_id uuid, decision text, decider uuid, decider_reason text, request_id uuid, rail_code text,
  out status text, out refusal text, out changed boolean, out wait_seconds int, out was text
) language plpgsql security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan as $$
declare
  t transfers; aim text; opens timestamptz(3); transaction uuid; back uuid; failure text;
  now_at timestamptz(3) := bank_now();
  touched uuid[]; from_states text[]; outcomes text[]; is_external boolean;
begin
  changed := false;
  select d.f, d.o into from_states, outcomes from (values
    ('execute', '{pending_approval}'::text[], '{aml_review,queued,submitted,executed,failed}'::text[]),
    ('reject', '{pending_approval,aml_review,queued}', '{rejected}'),
    ('cancel', '{pending_approval,aml_review,queued}', '{cancelled}'),
    ('expire', '{pending_approval}', '{expired}'),
    ('clear', '{aml_review}', '{queued,submitted,executed,failed}'),
    ('due', '{queued}', '{aml_review,submitted,failed}'),
    ('settle', '{submitted}', '{executed}'),
    ('refuse', '{submitted}', '{failed}'),
    ('return', '{submitted,executed}', '{returned}')) d(name, f, o) where d.name = decision;
  if not found then raise exception 'no such decision'; end if;
  select * into t from transfers x where x.id = t_id;
  if t.id is null then
    refusal := 'not_found';
    return;
  end if;
  -- asked for once: in the condition, a function that may write would be called for every account of the bank
  touched := transfer_accounts(t);
  perform 1 from accounts a where a.id = any (touched) order by a.id for no key update;
  select * into t from transfers x where x.id = t_id for update;
  status := t.status;
  is_external := t.beneficiary_id is not null;
  if t.status <> all (from_states) or (decision = 'return' and not is_external) then
    if not (t.status = any (outcomes) and (decider is null or t.decided_by is not distinct from decider)) then
      refusal := 'transfer_not_pending';
    end if;
    return;
  end if;
  -- what people have decided goes before the clock, and before a flag that was cleared since
  if decision in ('expire', 'due', 'clear') and exists (select from transfer_decisions d
      where d.transfer_id = t.id and d.state = 'accepted') then
    refusal := 'transfer_not_pending';
    return;
  end if;
  if decision in ('execute', 'clear', 'due') then
    if decision = 'clear' and (transfer_is_flagged(t) or exists (select from account_aml_flags f
        where f.account_id = t.source_account_id and f.cleared_at is null)) then
      refusal := 'aml_flag_open';
      return;
    end if;
    -- an account may have been flagged while its payment waited for the window
    select g.status, g.due into aim, opens from transfer_gate(
      case decision when 'clear' then 2 else 1 end, false, t.kind, t.source_account_id, t.type_code,
      is_external, transfer_is_flagged(t)) g;
    if decision = 'clear' then
      perform limit_lock(array[t.customer_id]);
      if transfer_limit_lowered(t) then
        aim := 'failed';
        failure := 'limit_exceeded';
        opens := null;
      end if;
    end if;
    if aim = 'queued' then
      wait_seconds := greatest(ceil(extract(epoch from opens - now_at))::int, 1);
    end if;
    if aim = t.status then
      -- the window has moved on
      update transfers x set due_at = opens where x.id = t.id and x.due_at is distinct from opens;
      return;
    end if;
  else
    aim := outcomes[1];
  end if;

  if aim in ('submitted', 'executed') and t.transaction_id is null then
    select p.transaction_id, p.refusal into transaction, failure from post_transfer(t.id, t.kind,
      transfer_legs(t.id, t.source_account_id, t.destination_account_id, t.asset, t.amount, t.target_asset,
        t.target_amount, t.fee_total, t.legs),
      t.description, t.value_date,
      (select o.transaction_id from transfers o where o.id = t.reverses_id), t.hold_id, false) p;
    if failure = 'balance_limit' and decision = 'execute' then
      refusal := failure;
      return;
    end if;
    if failure is not null then aim := 'failed'; end if;
  elsif decision = 'settle' then
    select p.refusal into failure from post_transfer(t.id, 'settlement', jsonb_build_array(
      jsonb_build_object('account', t.destination_account_id,
        'asset', t.target_asset, 'amount', (-t.target_amount)::text),
      jsonb_build_object('account', house_account('nostro', t.target_asset, t.id),
        'asset', t.target_asset, 'amount', t.target_amount::text)),
      t.description, null, null, null, false) p;
    if failure is not null then raise exception 'transfer % cannot be settled: %', t.id, failure; end if;
  elsif decision in ('refuse', 'return') then
    back := post_return(t, 'return');
    if decision = 'refuse' then failure := 'rail_refused'; end if;
  end if;
  -- what was booked has captured it
  if t.hold_id is not null and transfer_is_held(t.status) and aim not in ('aml_review', 'queued')
     and transaction is null then
    perform hold_release(t.hold_id);
  end if;
  if t.kind = 'transfer' and transfer_is_unspent(aim) then
    perform transfer_limit_give_back(t);
    perform aml_movement_ended(t.id);
  end if;
  -- not where a confirmed flag has rejected it: whoever confirmed one flag has not looked at the others
  if decision = 'reject' and request_id is not null then
    perform aml_transfer_rejected(t.id, decider, decider_reason);
  end if;
  update transfers x set status = aim, transaction_id = coalesce(transaction, t.transaction_id),
    return_transaction_id = back, failure_code = failure, return_code = rail_code,
    due_at = coalesce(opens, t.due_at),
    approved_by = case when decision = 'execute' then decider else t.approved_by end,
    approved_at = case when decision = 'execute' then now_at else t.approved_at end,
    decided_by = coalesce(decider, t.decided_by),
    decision_reason = case when decider is null then t.decision_reason else decider_reason end,
    decision_id = case when decider is null then t.decision_id else request_id end,
    submitted_at = case when aim = 'submitted' then now_at else t.submitted_at end,
    finished_at = case when aim in ('aml_review', 'queued', 'submitted') then null else now_at end
    where x.id = t.id;
  was := t.status;
  status := aim;
  changed := true;
end $$;

-- Refuses a move that is not in transfer_moves, and every change of what was ordered.
create or replace function check_transfer_change() returns trigger language plpgsql as $$
begin
  -- the rail's window may move on while the transfer waits for it
  if old.status = 'queued' and to_jsonb(new) - 'due_at' = to_jsonb(old) - 'due_at' then
    return new;
  end if;
  if not exists (select from transfer_moves where from_status = old.status and to_status = new.status) then
    raise exception 'transfer % cannot go from % to %', old.id, old.status, new.status
      using errcode = 'restrict_violation';
  end if;
  if (new.id, new.kind, new.requested_by, new.customer_id, new.source_account_id, new.destination_account_id,
      new.asset, new.amount, new.target_asset, new.target_amount, new.fee_total, new.price, new.legs,
      new.beneficiary_id, new.reverses_id, new.value_date, new.requires_approval)
     is distinct from (old.id, old.kind, old.requested_by, old.customer_id, old.source_account_id,
      old.destination_account_id, old.asset, old.amount, old.target_asset, old.target_amount, old.fee_total,
      old.price, old.legs, old.beneficiary_id, old.reverses_id, old.value_date, old.requires_approval) then
    raise exception 'transfer % cannot be rewritten', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger transfers_change before update on transfers
  for each row execute function check_transfer_change();
