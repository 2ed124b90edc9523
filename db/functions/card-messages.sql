-- The door of the card network: one message, one call, one answer. Locks are taken in the order of all that
-- moves money: the key of the message, its payment, the account, the counters of the owner.

-- Returns whether an open flag holds all that a customer or an account pays, or the customer is on a list.
create or replace function card_is_flagged(p card_payments) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select exists (select from aml_flags f where f.resolved_at is null and (f.subject_id = p.id and f.held
    or f.subject_type in ('customer', 'account') and f.subject_id = any (array[p.owner_id, p.account_id])))
    or exists (select from aml_flags f where f.kind = 'sanctions' and f.status = 'confirmed'
      and f.subject_type = 'customer' and f.subject_id = p.owner_id)
$$;

-- Returns why a card or its account takes no part in a payment, whatever its sum.
create or replace function card_refusal(
  p card_payments, c cards, a accounts, said jsonb, settings jsonb
) returns jsonb
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare refusal text := card_state_refusal(c); verdict jsonb;
begin
  if refusal is null and (bank_day(bank_now()) > c.expires_on
      or said->>'expiry' is distinct from to_char(c.expires_on, 'MM/YY')) then
    refusal := 'expired_card';
  end if;
  if refusal is not null then return jsonb_build_object('reason', refusal, 'rule', 'card'); end if;
  verdict := card_cvv_refusal(c, said, settings);
  if verdict is null and said ? 'pin_values' then
    refusal := card_pin_try(c.id, said->'pin_values');
    if refusal is not null then verdict := jsonb_build_object('reason', refusal, 'rule', 'pin'); end if;
  end if;
  if verdict is null and (a.status <> 'open' or card_is_flagged(p)
      or exists (select from users u where u.id = c.owner_id and u.status = 'blocked')) then
    verdict := '{"reason": "account_unavailable", "rule": "account"}';
  end if;
  return verdict;
end $$;

-- Returns which rule of a card refuses a payment: a control, a proof that is wrong or missing, a limit.
create or replace function card_rule_refusal(
  p card_payments, c cards, terms card_product_versions, message jsonb, more numeric
) returns jsonb
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare own card_terms; said jsonb := message->'said'; verdict jsonb;
begin
  select * into own from card_terms t where t.card_id = c.id;
  verdict := card_control_refusal(c, card_controls(terms.controls, own.controls), p, said,
    p.authorised + more);
  -- the bank has made no proof that could fit
  if verdict is null and said ? 'proof' then
    verdict := '{"reason": "proof_mismatch", "rule": "proof"}';
  end if;
  -- whatever asks for more asks for a proof; a PIN that was tried was the right one
  if verdict is null and more > 0 and not said ? 'pin_values' then
    verdict := card_sca_refusal(c, terms.sca, p.asset, said, more);
  end if;
  if verdict is null and more > 0 then
    verdict := card_limit_refusal(c, card_limits(terms.limits, own.limits), p, said, more,
      p.authorised + more);
  end if;
  return verdict;
end $$;

-- Asks the watch about what a payment adds. What it would hold or block is declined, and what it has found is
-- kept; otherwise the movement is kept if the payment happens.
create or replace function card_watch(
  p card_payments, message uuid, more numeric, happens boolean,
  out is_refused boolean, out movement aml_movements, out hits jsonb
) language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare judged record;
begin
  movement := aml_movement_of('card_authorisation', 'card_payment', p.id, p.owner_id, p.account_id, p.asset,
    more, null, p.merchant->>'id', p.merchant->>'country', bank_now());
  select * into judged from movement_verdict(movement);
  hits := judged.hits;
  is_refused := not happens and coalesce(judged.action in ('hold', 'block'), false);
  if is_refused then perform aml_keep_hits(hits); end if;
  -- a payment that grows is a movement each time
  if p.authorised > 0 then movement.subject_id := message; end if;
end $$;

-- Holds what a request adds; if the merchant takes a part, as much of it as there is. Returns what was
-- approved, or null.
create or replace function card_authorise(
  inout p card_payments, a accounts, message jsonb, more numeric, out approved numeric, out verdict jsonb
) language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  before card_payments := p; held record;
  room numeric := a.posted - a.held + a.overdraft_limit;
begin
  select h.p, h.refusal into held from card_hold(card_add(p, message, more), false) h;
  if held.refusal = 'insufficient_funds' and message->'said'->'partial_ok' = 'true' and p.authorised = 0
      and message->>'purpose' in ('purchase', 'cash') and room > card_fee(before, room) then
    before.hold_amount := null;
    before.hold_percent := null;
    approved := least(room - card_fee(before, room), more);
    select h.p, h.refusal into held from card_hold(card_add(before, message, approved), false) h;
  end if;
  if held.refusal is null then
    p := held.p;
    approved := coalesce(approved, (message->>'amount')::numeric, 0);
  else
    approved := null;
    verdict := case held.refusal when 'insufficient_funds'
      then '{"reason": "insufficient_funds", "rule": "funds"}'
      else '{"reason": "account_unavailable", "rule": "account"}' end;
  end if;
end $$;

-- Decides a request.
create or replace function card_decide(
  inout p card_payments, c cards, terms card_product_versions, a accounts, message jsonb, settings jsonb,
  request uuid, out approved numeric, out verdict jsonb
) language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  purpose text := message->>'purpose'; said jsonb := message->'said'; watch record; done record;
  m aml_movements; added numeric;
  more numeric := card_more(p, purpose, (message->>'amount')::numeric);
  -- what holds nothing, or was taken back before it came
  is_free boolean := purpose = 'refund' or p.reversed_whole
    or (purpose not in ('account_check', 'balance') and more <= p.overtaken);
begin
  -- a refund, and a total that is no larger, ask nothing of the card
  if purpose <> 'refund' and not (purpose = 'completion' and more <= 0) then
    verdict := card_refusal(p, c, a, said, settings);
  end if;
  -- after its total a payment is asked for no more than that
  if verdict is null and purpose in ('purchase', 'cash', 'increment')
      and (message->>'amount')::numeric > p.completed then
    verdict := '{"reason": "control", "rule": "completed"}';
  end if;
  if verdict is null and not is_free then
    if more > 0 then
      select * into watch from card_watch(p, request, more, false);
      if watch.is_refused then verdict := '{"reason": "account_unavailable", "rule": "account"}'; end if;
    end if;
    if verdict is null then verdict := card_rule_refusal(p, c, terms, message, more); end if;
  end if;
  if verdict is null then
    select * into done from card_authorise(p, a, message, more);
    verdict := done.verdict;
    approved := done.approved;
    p := done.p;
  end if;
  if verdict is not null then
    p.decline := verdict;
    p.declined_at := bank_now();
  elsif not is_free and more > 0 then
    -- as much as was approved, if that is less
    m := watch.movement;
    added := case purpose when 'completion' then more else approved end;
    m.amount := m.amount * added / more;
    m.amount_base := m.amount_base * added / more;
    perform aml_keep(array[m], watch.hits);
    if said ? 'pin_values' then
      perform card_sca_begin(c);
    else
      perform card_sca_count(c, said, added);
    end if;
  end if;
end $$;

-- Takes an advice: it has happened, whatever the card and its account say.
create or replace function card_advise(p card_payments, message jsonb, request uuid) returns card_payments
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  more numeric := card_more(p, message->>'purpose', (message->>'amount')::numeric); watch record; held record;
begin
  if more > 0 then
    select * into watch from card_watch(p, request, more, true);
    perform aml_keep(array[watch.movement], watch.hits);
  end if;
  select h.p, h.refusal into held from card_hold(card_add(p, message, more), true) h;
  p := held.p;
  if held.refusal is not null then p := card_irregular(p, held.refusal); end if;
  return p;
end $$;

-- Returns a message with what it is answered.
create or replace function card_message_decide(message jsonb, settings jsonb) returns card_messages
language plpgsql set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  r card_messages; c cards; a accounts; terms card_product_versions; p card_payments; done record;
begin
  r := jsonb_populate_record(r, message - array['said', 'payment_id']);
  r.id := uuidv7();
  r.network_id := message->>'payment_id';
  r.content_index := decode(message->'content'->>0, 'hex');
  r.said := (message->'said') - array['cvv_keys', 'pin_values', 'expiry', 'proof'];
  r.at := bank_now();
  r.reason := 'approved';
  perform pg_advisory_xact_lock(hashtextextended(r.network_id, 7311));
  select x.* into c from card_secrets s join cards x on x.id = s.card_id
    where s.number_index = any (array(
      select decode(i, 'hex') from jsonb_array_elements_text(message->'numbers') i));
  if c.id is null then
    r.reason := 'unknown_card';
    return r;
  end if;
  select * into a from accounts x where x.id = c.account_id for no key update;
  perform limit_lock(array[c.owner_id]);
  -- as it is under the lock
  select * into c from cards x where x.id = c.id;
  select * into terms from card_product_versions v
    where v.product_id = c.product_id and v.version = c.product_version;
  p := card_payment_of(c, terms, message, (settings->>'hold_days')::int);
  if p.card_id <> c.id or p.asset <> message->>'asset' then
    r.reason := 'contradiction';
    return r;
  end if;
  r.asset := p.asset;
  if r.type = '0420' then
    select h.p into done from card_hold(card_reverse(p, message), false) h;
    p := done.p;
  elsif r.type = '0120' then
    p := card_advise(p, message, r.id);
    r.approved := r.amount;
  else
    select * into done from card_decide(p, c, terms, a, message, settings, r.id);
    p := done.p;
    r.approved := done.approved;
    r.reason := coalesce(done.verdict->>'reason',
      case when done.approved < r.amount then 'partially_approved' else 'approved' end);
    if r.purpose = 'balance' and done.verdict is null then
      r.balance := a.posted - a.held + a.overdraft_limit;
    end if;
  end if;
  if r.type <> '0420' and r.reason in ('approved', 'partially_approved') then
    r.approval_code := upper(left(replace(gen_random_uuid()::text, '-', ''), 6));
  end if;
  perform card_payment_keep(p);
  r.payment_id := p.id;
  return r;
end $$;

-- Returns the card that has a number, by the number's keyed hashes, so that its PIN can be compared.
create or replace function card_with_number(numbers jsonb) returns uuid
language sql stable security definer set search_path = public, pg_temp as $$
  select n.card_id from card_secrets n where n.number_index = any (array(
    select decode(i, 'hex') from jsonb_array_elements_text(numbers) i))
$$;
grant execute on function card_with_number to teller_app;

-- Takes a message and answers it, a repeat as before. message: { type, stan, rrn, payment_id, purpose,
-- amount?, asset?, stood_in, numbers: keyed hashes of the card number under every key, content: those of all
-- that was sent, said: { merchant, merchant_amount?, entry_mode, partial_ok, expiry?, proof?, cvv_keys?: the
-- keys under which the verification value is right, pin_values?: what the PIN is under each key } }.
-- settings: { cvv_tries, cvv_lock_minutes, hold_days }.
create or replace function card_message_take(
  message jsonb, settings jsonb,
  out reason text, out approval_code text, out approved numeric, out balance numeric, out asset text
) language plpgsql security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set lock_timeout = '1s'
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
declare known card_messages;
begin
  perform pg_advisory_xact_lock(hashtextextended(
    concat_ws(chr(31), message->>'type', message->>'stan', message->>'rrn'), 7310));
  select * into known from card_messages x where x.type = message->>'type' and x.stan = message->>'stan'
    and x.rrn = message->>'rrn';
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
end $$;
grant execute on function card_message_take to teller_app;
