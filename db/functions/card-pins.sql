-- PINs: set and unlocked by the holder, tried at terminals. The application never reads a verification value.

-- Sets the PIN of a card and forgets wrong tries. Returns why not: not_found, card_closed, or
-- pin_message_used if the message with this nonce has set a PIN before.
create or replace function card_pin_set(
  card uuid, person uuid, ring_key text, made_value bytea, nonce bytea
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare c cards;
begin
  select * into c from cards x where x.owner_id = person and x.id = card for no key update;
  if c.id is null then return 'not_found'; end if;
  if c.status = 'closed' then return 'card_closed'; end if;
  insert into card_pin_changes (card_id, change, nonce_hash) values (card, 'set', nonce)
    on conflict do nothing;
  if not found then return 'pin_message_used'; end if;
  insert into card_pins (card_id, key_id, verification_value) values (card, ring_key, made_value)
    on conflict (card_id) do update set key_id = excluded.key_id, wrong_tries = 0,
      verification_value = excluded.verification_value, set_at = bank_now();
  update cards set pin_status = 'set' where id = card and pin_status <> 'set';
  return null;
end $$;
grant execute on function card_pin_set to teller_app;

-- Lets a locked PIN be tried again. A repeat changes nothing. Returns why not: not_found, card_closed or
-- pin_unset.
create or replace function card_pin_unlock(card uuid, person uuid) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare c cards;
begin
  select * into c from cards x where person = x.owner_id and x.id = card for no key update;
  if c.id is null then return 'not_found'; end if;
  if c.status = 'closed' then return 'card_closed'; end if;
  if c.pin_status = 'unset' then return 'pin_unset'; end if;
  if c.pin_status = 'locked' then
    update card_pins set wrong_tries = 0 where card_id = card;
    update cards set pin_status = 'set' where id = card;
    insert into card_pin_changes (card_id, change) values (card, 'unlocked');
  end if;
  return null;
end $$;
grant execute on function card_pin_unlock to teller_app;

-- Tries a PIN at a terminal. `made_values` holds the value of what was typed under every key of the ring, in
-- hex. Returns why not as {reason, rule}, or null; the last try that the product allows locks the PIN. A card
-- without a PIN has no right one. Only functions call this: the application could try all PINs otherwise.
create or replace function card_pin_try(card uuid, made_values jsonb) returns jsonb
language plpgsql set search_path = public, pg_temp as $$
declare c cards; stored card_pins; allowed smallint; locks boolean;
begin
  select * into c from cards x where x.id = card for no key update;
  select * into stored from card_pins p where p.card_id = card;
  if c.pin_status = 'locked' then return '{"reason": "pin_locked", "rule": "pin"}'; end if;
  -- nobody knows what was typed
  if stored.key_id is not null and not made_values ? stored.key_id then
    return '{"reason": "wrong_pin", "rule": "pin_block"}';
  end if;
  if stored.verification_value = decode(made_values->>stored.key_id, 'hex') then
    update card_pins set wrong_tries = 0 where card_id = card and wrong_tries > 0;
    return null;
  end if;
  select v.pin_tries into allowed from card_product_versions v
    where v.product_id = c.product_id and v.version = c.product_version;
  update card_pins p set wrong_tries = p.wrong_tries + 1 where p.card_id = card;
  locks := coalesce(stored.wrong_tries + 1 >= allowed, false) and c.status <> 'closed';
  if locks then update cards set pin_status = 'locked' where id = card; end if;
  return jsonb_build_object('reason', 'wrong_pin', 'rule', case when locks then 'pin_lock' else 'pin' end);
end $$;

create or replace trigger card_pin_changes_stand before update or delete on card_pin_changes
  for each row execute function refuse_change();
