-- 3-D Secure: the network asks who pays online, the holder answers, and the proof of it is spent by the
-- request that is approved with it. All of this keeps the machine's time, as logins do.

-- Returns what has become of an authentication: one that nobody has answered in time has expired.
create or replace function card_authentication_status(a card_authentications) returns text
language sql set search_path = public, pg_temp as $$
  select case when a.status = 'pending' and a.expires_at <= machine_now() then 'expired' else a.status end
$$;
grant execute on function card_authentication_status to teller_app;

-- Returns why a card does not pay at this merchant, or null: what comes before a proof when a payment is
-- decided. Money and limits are looked at when it is paid, so that nobody learns of them here. An expiry that
-- was left out is not compared.
create or replace function card_authentication_refusal(
  c cards, terms card_product_versions, message jsonb, settings jsonb
) returns jsonb
language plpgsql set search_path = public, pg_temp as $$
declare
  p card_payments; m card_messages; a accounts; own card_terms; verdict jsonb;
  said jsonb := jsonb_build_object('entry_mode', 'ecommerce', 'merchant', message->'merchant',
    'expiry', coalesce(message->>'expiry', to_char(c.expires_on, 'MM/YY')));
begin
  select * into a from accounts x where x.id = c.account_id;
  if a.asset <> message->>'asset' then return '{"reason": "contradiction", "rule": "currency"}'; end if;
  p := card_payment_new(c, message->>'authentication_id', a.asset);
  m.purpose := 'purchase';
  m.said := said;
  verdict := card_refusal(p, c, a, said, settings);
  if verdict is null then
    select * into own from card_terms t where t.card_id = c.id;
    verdict := card_control_refusal(c, card_controls(terms.controls, own.controls), p, m,
      (message->>'amount')::numeric);
  end if;
  return verdict;
end $$;

-- Returns whether the holder was asked so often lately that one prompt more would only wear them out. None is
-- open for longer than an hour.
create or replace function card_challenge_too_many(c cards) returns boolean
language sql set search_path = public, pg_temp as $$
  select count(*) >= 5 from card_authentications x where x.line_id = c.line_id and x.expires_at is not null
    and x.status <> 'authenticated' and x.created_at > machine_now() - interval '1 hour'
$$;

-- Decides an authentication: refused, authenticated without asking if a payment of this kind needs no proof,
-- or pending until its holder answers.
create or replace function card_authentication_decide(message jsonb, settings jsonb)
returns card_authentications
language plpgsql set search_path = public, pg_temp as $$
declare
  a card_authentications; c cards; terms card_product_versions;
  verdict jsonb := '{"reason": "unknown_card", "rule": "card"}';
begin
  a.id := uuidv7();
  a.network_id := message->>'authentication_id';
  a.content_index := decode(message->'content'->>0, 'hex');
  a.asset := message->>'asset';
  a.amount := (message->>'amount')::numeric;
  a.merchant := message->'merchant';
  a.created_at := machine_now();
  select * into c from cards x where x.id = card_with_number(message->'numbers');
  if c.id is not null then
    perform limit_lock(array[c.owner_id]);
    -- as it is under the lock
    select * into c from cards x where x.id = c.id;
    select * into terms from card_product_versions v
      where v.product_id = c.product_id and v.version = c.product_version;
    a.card_id := c.id;
    a.line_id := c.line_id;
    a.owner_id := c.owner_id;
    verdict := card_authentication_refusal(c, terms, message, settings);
  end if;

  if verdict is null and card_sca_refusal(c, terms, a.asset, '{"entry_mode": "ecommerce"}', a.amount) is null
  then
    a.status := 'authenticated';
    a.proof_expires_at := a.created_at + make_interval(mins => (settings->>'proof_minutes')::int);
  elsif verdict is null and not card_challenge_too_many(c) then
    a.status := 'pending';
    a.expires_at := a.created_at + make_interval(mins => (settings->>'challenge_minutes')::int);
  else
    a.status := 'refused';
    a.reason := coalesce(verdict->>'reason', 'limit_exceeded');
    a.rule := coalesce(verdict->>'rule', 'challenges');
  end if;
  return a;
end $$;

-- Takes a request for an authentication; the same again is answered as it is then. message: {
-- authentication_id, numbers and content as of card_message_take, expiry?, merchant, amount, asset }.
-- settings: { cvv_tries, cvv_lock_minutes, challenge_minutes, proof_minutes }.
create or replace function card_authentication_take(
  message jsonb, settings jsonb, out authentication uuid, out state text, out reason text
) language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '1s' as $$
declare known card_authentications;
begin
  perform pg_advisory_xact_lock(hashtextextended(message->>'authentication_id', 7312));
  select * into known from card_authentications x where x.network_id = message->>'authentication_id';
  if known.id is null then
    known := card_authentication_decide(message, settings);
    insert into card_authentications select (known).*;
  elsif not message->'content' ? encode(known.content_index, 'hex') then
    known.status := 'refused';
    known.reason := 'contradiction';
  end if;
  authentication := known.id;
  state := card_authentication_status(known);
  reason := known.reason;
end $$;
grant execute on function card_authentication_take to teller_app;

-- Ends a challenge as its holder wants: 'authenticated', so that its proof is good for so many minutes, or
-- 'declined'. Returns why not: not_found or already_decided, also by time.
create or replace function card_challenge_decide(
  challenge uuid, holder uuid, wanted text, proof_minutes int
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare a card_authentications; at timestamptz;
begin
  select * into a from card_authentications x
    where x.id = challenge and x.owner_id = holder and x.expires_at is not null for no key update;
  if a.id is null then return 'not_found'; end if;
  at := machine_now();
  if a.status <> 'pending' or a.expires_at <= at then return 'already_decided'; end if;
  update card_authentications set status = wanted, decided_at = at,
      proof_expires_at = case wanted when 'authenticated' then at + make_interval(mins => proof_minutes) end
    where id = challenge;
  return null;
end $$;
grant execute on function card_challenge_decide to teller_app;

-- Returns the authentication that a request for money names, locked, if its proof fits: the line of the card,
-- the merchant, the currency, and no more than its amount. A proof is good for a while, and once.
create or replace function card_proof(c cards, said jsonb, m card_messages) returns card_authentications
language sql set search_path = public, pg_temp as $$
  select a from card_authentications a
    where a.id = (said->>'authentication')::uuid and a.status = 'authenticated' and a.spent_by is null
      and a.proof_expires_at > machine_now() and a.line_id = c.line_id and a.asset = m.asset
      and a.amount >= coalesce(m.amount, 0) and a.merchant->>'id' = m.said->'merchant'->>'id'
    for no key update
$$;

-- Spends the proof of a message that is approved with it.
create or replace function card_proof_spend(said jsonb, m card_messages) returns void
language sql set search_path = public, pg_temp as $$
  update card_authentications set spent_by = m.id, spent_at = machine_now()
    where id = (said->>'authentication')::uuid
$$;

-- Returns whether the holder has proved who they are for a message whose proofs were all right: by a PIN, or
-- by approving the payment. An authentication for which nobody was asked proves nothing.
create or replace function card_holder_proved(said jsonb) returns boolean
language sql set search_path = public, pg_temp as $$
  select said ? 'pin_values' or exists (select from card_authentications a
    where a.id = (said->>'authentication')::uuid and a.decided_at is not null)
$$;

-- Refuses to change what was asked and answered: a challenge is decided once, and a proof is spent once.
create or replace function check_card_authentication_change() returns trigger language plpgsql as $$
declare
  decision constant text[] := array['status', 'decided_at', 'proof_expires_at'];
  spending constant text[] := array['spent_by', 'spent_at'];
begin
  if to_jsonb(new) - decision - spending is distinct from to_jsonb(old) - decision - spending
     or old.status <> 'pending' and to_jsonb(new) - spending is distinct from to_jsonb(old) - spending
     or new.status = 'refused' and old.status <> 'refused'
     or old.spent_by is not null and (new.spent_by, new.spent_at)
       is distinct from (old.spent_by, old.spent_at) then
    raise exception 'authentication % stands', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create or replace trigger card_authentications_change before update on card_authentications
  for each row execute function check_card_authentication_change();
create or replace trigger card_authentications_never_deleted before delete on card_authentications
  for each row execute function refuse_change();

-- Refuses a proof that was spent by something else than an approved request which it fits.
create or replace function check_card_proof_spent() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from card_messages m join card_payments p on p.id = m.payment_id
          join cards c on c.id = p.card_id
        where m.id = new.spent_by and m.type = '0100' and m.reason in ('approved', 'partially_approved')
          and c.line_id = new.line_id and m.asset = new.asset and coalesce(m.amount, 0) <= new.amount
          and m.said->'merchant'->>'id' = new.merchant->>'id') then
    raise exception 'the proof of authentication % does not fit', new.id using errcode = 'restrict_violation';
  end if;
  return null;
end $$;
-- at the end of the transaction, when the message is written
drop trigger if exists card_authentications_fits on card_authentications;
create constraint trigger card_authentications_fits after insert or update on card_authentications
  deferrable initially deferred for each row when (new.spent_by is not null)
  execute function check_card_proof_spent();
