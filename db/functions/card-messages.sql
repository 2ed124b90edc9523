-- The door of the card network: one message, one call, one answer. Locks are taken in the order of all that
-- moves money: the payment, the account, the counters of the owner.

-- Returns whether an open flag holds all that a customer or an account pays, or the customer is on a list.
create or replace function card_is_flagged(p card_payments) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select exists (select from aml_flags f where f.resolved_at is null and (f.subject_id = p.id and f.held
    or f.subject_type = 'account' and f.subject_id = p.account_id
    or flag_is_of_customer(f) and f.customer_id = p.owner_id))
    or exists (select from aml_flags f where f.kind = 'sanctions' and f.status = 'confirmed'
      and flag_is_of_customer(f) and f.customer_id = p.owner_id)
$$;

-- Returns why a card or its account takes no part in a payment, whatever its sum.
create or replace function card_refusal(
  p card_payments, c cards, a accounts, said jsonb, settings jsonb
) returns jsonb
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare refusal text := card_state_refusal(c); verdict jsonb;
begin
  if refusal is not null then return jsonb_build_object('reason', refusal, 'rule', 'card'); end if;
  verdict := card_values_refusal(c, said, settings);
  if verdict is null and said ? 'pin_values' then
    verdict := card_pin_try(c.id, said->'pin_values');
  elsif verdict is null and said ? 'pin_unread' then
    verdict := case when c.pin_status = 'locked' then jsonb '{"reason": "pin_locked", "rule": "pin"}'
      else jsonb '{"reason": "wrong_pin", "rule": "pin_block"}' end;
  end if;
  if verdict is null and (a.status <> 'open' or card_is_flagged(p)
      or exists (select from users u where u.id = c.owner_id and u.status = 'blocked')) then
    verdict := '{"reason": "account_unavailable", "rule": "account"}';
  end if;
  return verdict;
end $$;

-- Returns which rule of a card refuses what a message adds: a control, a proof that is wrong or missing, a
-- limit. `total` is what the payment comes to.
create or replace function card_rule_refusal(
  p card_payments, c cards, terms card_product_versions, message jsonb, messages card_messages[],
  m card_messages, more numeric, total numeric
) returns jsonb
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare own card_terms; said jsonb := message->'said'; proof card_authentications; verdict jsonb;
begin
  select * into own from card_terms t where t.card_id = c.id;
  verdict := card_control_refusal(c, card_controls(terms.controls, own.controls), p, m, total);
  if verdict is null and said ? 'proof' then
    proof := card_proof(c, said, m);
    if proof.id is null then verdict := '{"reason": "proof_mismatch", "rule": "proof"}'; end if;
  end if;
  -- whatever asks for more asks for a proof; a PIN that was tried was the right one
  if verdict is null and not said ? 'pin_values' then
    if m.purpose = 'balance' or more > 0 and card_kind(p, m.purpose) = 'cash' then
      verdict := '{"reason": "sca_required", "rule": "pin"}';
    elsif more > 0 and proof.decided_at is null then
      verdict := card_sca_refusal(c, terms, p.asset, said, more);
    end if;
  end if;
  if verdict is null and more > 0 then
    verdict := card_limit_refusal(c, card_limits(terms.limits, own.limits), p, messages, m, more, total);
  end if;
  return verdict;
end $$;

-- Asks the watch about what a payment adds. What it would hold or block is declined, and what it has found is
-- kept; otherwise the movement is kept if the payment happens.
create or replace function card_watch(
  p card_payments, messages card_messages[], m card_messages, more numeric, happens boolean,
  out is_refused boolean, out movement aml_movements, out hits jsonb
) language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare judged record;
begin
  movement := aml_movement_of('card_authorisation', 'card_payment', p.id, p.owner_id, p.account_id, p.asset,
    more, null, m.said->'merchant'->>'id', m.said->'merchant'->>'country', bank_now());
  select * into judged from movement_verdict(movement);
  hits := judged.hits;
  is_refused := not happens and coalesce(judged.action in ('hold', 'block'), false);
  if is_refused then perform aml_keep_hits(hits); end if;
  -- a payment that grows is a movement each time
  if exists (select from unnest(messages) x where card_opens(x)) then movement.subject_id := m.id; end if;
end $$;

-- Returns why a request for money comes too late: what it asks for was taken back or is cleared, a total was
-- named, or the network has answered it itself and told so. `more` is what it would add.
create or replace function card_too_late(
  p card_payments, messages card_messages[], m card_messages, back numeric, more numeric
) returns jsonb
language sql immutable set search_path = public, pg_temp as $$
  select jsonb_build_object('reason', 'control', 'rule', rule) from (select case
    when p.is_final or p.cleared > p.matched then 'cleared'
    when p.reversed_whole and more > 0 or back >= m.amount then 'reversed'
    when p.completed is not null and (m.purpose <> 'completion' or more > 0) then 'completed'
    when card_stood_in(messages, m) or exists (select from unnest(messages) a where a.type = '0120'
      and card_opens(a) and a.stan = m.stan and a.rrn = m.rrn) then 'stood_in' end) x(rule)
    where rule is not null
$$;

-- Returns the largest part of a request, with its fee and what its category adds, for which there is room.
create or replace function card_part(p card_payments, messages card_messages[], m card_messages, room numeric)
returns numeric
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare fits numeric := 0; too_much numeric := least(m.approved, room + 1); part record;
begin
  while too_much - fits > 1 loop
    -- all that there is, if it costs nothing
    m.approved := case when fits = 0 and too_much = room + 1 then room
      else trunc((fits + too_much) / 2) end;
    select * into part from card_fold(p, messages || m);
    if card_hold_wanted(p, part.aside, part.cash, part.exchanged) <= room then
      fits := m.approved;
    else
      too_much := m.approved;
    end if;
  end loop;
  return fits;
end $$;

-- Decides a request. Returns the payment with the hold of what was approved, or declined, the message with
-- its answer, and what limits count; null if that has not changed.
create or replace function card_decide(
  inout p card_payments, c cards, terms card_product_versions, a accounts, message jsonb, settings jsonb,
  messages card_messages[], inout m card_messages, out used numeric[]
) language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  said jsonb := message->'said'; verdict jsonb; watch record; after record; movement aml_movements;
  approved_p card_payments;
  held record; open numeric := card_open_after(p, messages); more numeric;
  asks boolean := m.purpose in ('purchase', 'cash', 'increment', 'completion');
  is_free boolean; back numeric;
begin
  -- what of it was taken back before it came
  if asks and cardinality(messages) > 0 then back := card_named_back(messages, m, null); end if;
  m.approved := greatest(coalesce(m.amount, 0) - coalesce(back, 0), 0);
  approved_p := p;
  approved_p.decline := null;
  approved_p.declined_at := null;
  select * into after from card_fold(approved_p, messages || m);
  more := card_open(after.p) - open;
  -- a refund, and a total that is no larger, ask nothing of the card
  is_free := m.purpose = 'refund' or m.purpose = 'completion' and more <= 0;
  if not is_free then verdict := card_refusal(p, c, a, said, settings); end if;
  if verdict is null and asks and (cardinality(messages) > 0 or p.cleared > 0) then
    verdict := card_too_late(p, messages, m, back, more);
  end if;
  if verdict is null and not is_free then
    if more > 0 then
      select * into watch from card_watch(p, messages, m, more, false);
      if watch.is_refused then verdict := '{"reason": "account_unavailable", "rule": "account"}'; end if;
    end if;
    if verdict is null then
      verdict := card_rule_refusal(p, c, terms, message, messages, m, more,
        open + p.cleared + more);
    end if;
  end if;

  if verdict is null then
    select * into held from card_hold(after.p, card_hold_wanted(p, after.aside, after.cash, after.exchanged),
      more > 0, false);
    if held.refusal = 'insufficient_funds' and said->'partial_ok' = 'true' and p.authorised = 0
        and m.purpose in ('purchase', 'cash') then
      m.approved := card_part(p, messages, m, a.posted - a.held + a.overdraft_limit);
      if m.approved > 0 then
        select * into after from card_fold(approved_p, messages || m);
        select * into held from card_hold(after.p,
          card_hold_wanted(p, after.aside, after.cash, after.exchanged), true, false);
      end if;
    end if;
    verdict := case when held.refusal = 'insufficient_funds'
        then jsonb '{"reason": "insufficient_funds", "rule": "funds"}'
      when held.refusal is not null then jsonb '{"reason": "account_unavailable", "rule": "account"}' end;
  end if;

  if verdict is not null then
    m.approved := null;
    m.reason := verdict->>'reason';
    if verdict->>'rule' = 'reversed' then p := card_irregular(p, 'request_after_reversal'); end if;
    -- what was declined because it has happened already is no news
    if verdict->>'rule' is distinct from 'stood_in' then
      p.decline := verdict;
      p.declined_at := bank_now();
    end if;
    p.status := card_status_of(p, exists (select from unnest(messages) r where r.type = '0420'));
    return;
  end if;
  if m.approved < m.amount then m.reason := 'partially_approved'; end if;
  if m.purpose = 'balance' then m.balance := a.posted - a.held + a.overdraft_limit; end if;
  if said ? 'authentication' and not is_free then perform card_proof_spend(said, m); end if;
  if more > 0 and not is_free then
    -- as much as was approved, if that is less
    movement := watch.movement;
    if m.purpose <> 'completion' then
      movement.amount := movement.amount * m.approved / more;
      movement.amount_base := movement.amount_base * m.approved / more;
      more := m.approved;
    end if;
    perform aml_keep(array[movement], watch.hits);
    if card_holder_proved(said) then
      perform card_sca_begin(c);
    else
      perform card_sca_count(c, said, more);
    end if;
  end if;
  p := held.p;
  used := after.used;
end $$;

-- Returns whether a reversal takes back more than there is.
create or replace function card_takes_too_much(
  p card_payments, messages card_messages[], m card_messages, open numeric
) returns boolean
language sql immutable set search_path = public, pg_temp as $$
  select case when m.reverses_stan is null then p.authorised = 0 or m.amount > open
    else not exists (select from unnest(messages) x where card_opens(x) and x.stan = m.reverses_stan
      and x.rrn = m.reverses_rrn and (m.amount is null or m.amount <= x.approved)) end
$$;

-- Takes what has happened, whatever the card and its account say: an advice, or a reversal. Returns the
-- payment with its hold, and what limits count.
create or replace function card_happened(
  inout p card_payments, c cards, messages card_messages[], m card_messages, out used numeric[]
) language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  open numeric := card_open_after(p, messages); watch record; held record; after record; more numeric;
begin
  if m.type = '0120' then
    p.decline := null;
    p.declined_at := null;
  elsif card_takes_too_much(p, messages, m, open) then
    p := card_irregular(p, 'reversal_without_authorisation');
  end if;
  select * into after from card_fold(p, messages || m);
  p := after.p;
  used := after.used;
  more := card_open(p) - open;
  if more > 0 then
    select * into watch from card_watch(p, messages, m, more, true);
    perform aml_keep(array[watch.movement], watch.hits);
    if m.type = '0120' then perform card_sca_count(c, m.said, more); end if;
  end if;
  select * into held from card_hold(p, card_hold_wanted(p, after.aside, after.cash, after.exchanged),
    m.type = '0120' and more > 0, true);
  p := held.p;
  if held.refusal is not null then p := card_irregular(p, held.refusal); end if;
end $$;

-- Returns a message with what it is answered. The caller holds the lock of its payment.
create or replace function card_message_decide(message jsonb, settings jsonb) returns card_messages
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  m card_messages; c cards; a accounts; terms card_product_versions; p card_payments; decided record;
  happened record; used numeric[]; is_other boolean; messages card_messages[] := '{}';
begin
  m := jsonb_populate_record(m, message - array['said', 'payment_id']);
  m.network_id := message->>'payment_id';
  m.content_index := decode(message->'content'->>0, 'hex');
  m.said := (message->'said')
    - array['cvv_keys', 'pin_values', 'pin_unread', 'expiry', 'proof', 'authentication'];
  m.reason := 'approved';
  m.id := uuidv7();
  m.at := bank_now();
  select x.* into c from card_secrets s join cards x on x.id = s.card_id
    where s.number_index = any (array(
      select decode(i, 'hex') from jsonb_array_elements_text(message->'numbers') i));
  if c.id is null then
    m.reason := 'unknown_card';
    return m;
  end if;
  select * into a from accounts x where x.id = c.account_id for no key update;
  perform limit_lock(array[c.owner_id]);
  -- as it is under the lock
  select * into c from cards x where x.id = c.id;
  select * into terms from card_product_versions v
    where v.product_id = c.product_id and v.version = c.product_version;
  p := card_payment_of(c, terms, message, (settings->>'hold_days')::int);
  is_other := coalesce(p.asset <> m.asset, false);
  if is_other and m.type <> '0120' or not exists (select from cards k where k.id = p.card_id
      and k.line_id = c.line_id) then
    m.reason := 'contradiction';
    return m;
  end if;
  if is_other then p := card_irregular(p, 'other_currency'); end if;
  if p.status is not null then messages := card_messages_of(p.id); end if;
  m.place := cardinality(messages) + 1;
  m.asset := coalesce(m.asset, p.asset);
  if m.type <> '0420' and m.purpose in ('increment', 'completion') and p.authorised = 0 then
    p := card_irregular(p, 'without_authorisation');
  end if;
  if m.type = '0100' then
    select * into decided from card_decide(p, c, terms, a, message, settings, messages, m);
    p := decided.p;
    m := decided.m;
    used := decided.used;
  else
    if m.type = '0120' and not is_other then m.approved := m.amount; end if;
    select * into happened from card_happened(p, c, messages, m);
    p := happened.p;
    used := happened.used;
  end if;
  if m.type <> '0420' and m.reason in ('approved', 'partially_approved') then
    m.approval_code := upper(left(replace(gen_random_uuid()::text, '-', ''), 6));
  end if;
  perform card_payment_keep(p, messages || m, used);
  m.payment_id := p.id;
  return m;
end $$;

-- Returns the card that has a number, by the number's keyed hashes, so that its PIN can be compared.
create or replace function card_with_number(numbers jsonb) returns uuid
language sql stable security definer set search_path = public, pg_temp as $$
  select n.card_id from card_secrets n where n.number_index = any (array(
    select decode(i, 'hex') from jsonb_array_elements_text(numbers) i))
$$;
grant execute on function card_with_number to teller_app;

-- Takes a message and answers it, a repeat as before. message: { type, stan, rrn, payment_id, purpose,
-- amount?, asset?, stood_in, reverses_stan?, reverses_rrn?, numbers: keyed hashes of the card number under
-- every key, content: those of all that was sent, said: { merchant, merchant_amount?, entry_mode, partial_ok,
-- expiry?, proof?: there was one, authentication?: the one that it is of, if the bank has made it, cvv_keys?:
-- the keys under which the verification value is right, pin_values?: what the PIN is under each key,
-- pin_unread?: there was a PIN, but nobody could open it } }.
-- settings: { cvv_tries, cvv_lock_minutes, hold_days }.
create or replace function card_message_take(
  message jsonb, settings jsonb,
  out reason text, out approval_code text, out approved numeric, out balance numeric, out asset text,
  out other_currency boolean
) language plpgsql security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set lock_timeout = '1s'
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
declare known card_messages;
begin
  perform pg_advisory_xact_lock(hashtextextended(message->>'payment_id', 7311));
  select * into known from card_messages x where x.network_id = message->>'payment_id'
    and x.type = message->>'type' and x.stan = message->>'stan' and x.rrn = message->>'rrn';
  if known.id is null then
    known := card_message_decide(message, settings);
    insert into card_messages select (known).*;
  elsif not message->'content' ? encode(known.content_index, 'hex') then
    reason := 'contradiction';
    return;
  end if;
  reason := known.reason;
  approval_code := known.approval_code;
  approved := known.approved;
  balance := known.balance;
  asset := known.asset;
  other_currency := known.type = '0120' and known.payment_id is not null and known.asset <> (
    select p.asset from card_payments p where p.id = known.payment_id);
end $$;
grant execute on function card_message_take to teller_app;
