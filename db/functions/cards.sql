-- Cards: issued, moved between their states, and shown. The application cannot write a card nor read a
-- secret; it asks these functions, which ask who it is for.

-- Raises an error unless this person owns the card's account, or is an administrator who holds the action.
create or replace function require_cardholder(holder uuid, person uuid, action text) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  if person is distinct from holder then perform require_action(person, action); end if;
end $$;

-- Issues a card on an account under the newest version of a product, with its fees due. Takes the first
-- number that no card has; candidates: [{indexes, sealed, last_four}], with keyed hashes of the number under
-- every key, the newest first, in hex. Returns why not: not_found, account_closed, account_blocked,
-- card_product_unavailable, range_exhausted, or number_taken if the numbers belong to other cards.
create or replace function card_issue(
  new_id uuid, target uuid, of_product uuid, replaced uuid, locked_to text, at_most minor, shipping bytea,
  from_number bigint, candidates jsonb, ring_key text, by_person uuid
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare a accounts; p card_products; v card_product_versions; c cards; one jsonb; refusal text;
begin
  select * into a from accounts x where x.id = target and x.kind = 'customer' for no key update;
  if a.id is null then return 'not_found'; end if;
  perform require_cardholder(a.owner_id, by_person, 'cards:issue');
  -- a new version waits until this card has the one before it
  select * into p from card_products x where x.id = of_product for share;
  select * into v from card_product_versions x where x.product_id = p.id and x.version = p.version;
  refusal := case
    when p.id is null then 'not_found'
    when a.status = 'closed' then 'account_closed'
    when a.status <> 'open' then 'account_blocked'
    when not v.enabled or p.asset <> a.asset or (v.account_type_ids <> '[]'
      and not v.account_type_ids ? a.account_type_id::text) then 'card_product_unavailable' end;
  if refusal is not null then return refusal; end if;

  update card_iin_ranges r set issued = r.issued + 1
    where r.payment_system_id = p.payment_system_id and r.first = from_number
      and r.issued < r.last - r.first + 1;
  if not found then return 'range_exhausted'; end if;
  select x.number into one from jsonb_array_elements(candidates) with ordinality x(number, n)
    where not exists (select from card_secrets s where s.number_index = any (
      array(select decode(i, 'hex') from jsonb_array_elements_text(x.number->'indexes') i)))
    order by n limit 1;
  if one is null then
    update card_iin_ranges r set issued = r.issued - 1
      where r.payment_system_id = p.payment_system_id and r.first = from_number;
    return 'number_taken';
  end if;

  insert into cards (id, owner_id, account_id, product_id, product_version, kind, status, last_four,
      expires_on, replaces, merchant, single_use_amount, sealed_shipping, issued_by, activated_at)
    values (new_id, a.owner_id, a.id, p.id, v.version, p.kind,
      case p.kind when 'physical' then 'inactive' else 'active' end, one->>'last_four',
      (date_trunc('month', bank_day(bank_now())::timestamp)
        + make_interval(months => v.validity_months + 1) - interval '1 day')::date,
      replaced, locked_to, at_most, shipping, by_person,
      case when p.kind <> 'physical' then bank_now() end)
    returning * into c;
  perform card_owe_fees(c);
  insert into card_secrets (card_id, key_id, number_index, sealed_number)
    values (new_id, ring_key, decode(one->'indexes'->>0, 'hex'), decode(one->>'sealed', 'hex'));
  return null;
end $$;
grant execute on function card_issue to teller_app;

-- Returns the damaged cards that still work before this one, with a lock on each.
create or replace function card_damaged_before(c cards) returns setof cards
language sql security definer set search_path = public, pg_temp as $$
  select o.* from cards o where o.line_id = c.line_id and o.id <> c.id and o.created_at <= c.created_at
    and o.damaged_at is not null and o.status <> 'closed' order by o.id for no key update
$$;
grant execute on function card_damaged_before to teller_app;

-- Moves a card: activate, block, unblock or close. The holder blocks, closes and reports a loss at any time,
-- but lifts, and replaces as damaged, only what the holder has blocked; the bank lifts both. A repeat changes
-- nothing. Returns why not, or null.
create or replace function card_move(card uuid, move text, by_person uuid, close_reason text) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare c cards; by_bank boolean; side text; refusal text;
begin
  select * into c from cards x where x.id = card for no key update;
  if c.id is null then return 'not_found'; end if;
  by_bank := by_person <> c.owner_id;
  side := case when by_bank then 'bank' else 'customer' end;
  perform require_cardholder(c.owner_id, by_person, 'cards:write');
  refusal := case
    when c.status = 'closed' and move <> 'close' then 'card_closed'
    when c.status = 'closed' then null
    when (c.blocked_by = 'bank' or move = 'activate' and exists (
        select from card_damaged_before(c) o where o.blocked_by = 'bank')) and not by_bank
      and (move in ('activate', 'unblock') or close_reason = 'damaged') then 'blocked_by_bank'
    when move in ('block', 'unblock') and c.status = 'inactive' then 'card_inactive' end;
  if refusal is not null or c.status = 'closed' then return refusal; end if;
  if move = 'activate' and c.status = 'inactive' then
    update cards set status = 'active', activated_at = bank_now() where id = card;
    -- what is damaged has worked until now
    update cards o set status = 'closed', closed_reason = 'damaged', closed_at = bank_now(),
        blocked_by = null, blocked_before = false
      from card_damaged_before(c) d where o.id = d.id;
  elsif move = 'block' and (c.status = 'active' or (by_bank and c.blocked_by = 'customer')) then
    update cards set status = 'blocked', blocked_by = side, blocked_before = c.status = 'blocked'
      where id = card;
  elsif move = 'unblock' and c.blocked_before then
    update cards set blocked_by = 'customer', blocked_before = false where id = card;
  elsif move = 'unblock' and c.status = 'blocked' then
    update cards set status = 'active', blocked_by = null where id = card;
  elsif move = 'close' then
    update cards set status = 'closed', blocked_by = null, blocked_before = false,
        closed_reason = coalesce(close_reason, side), closed_at = bank_now()
      where id = card;
  end if;
  return null;
end $$;
grant execute on function card_move to teller_app;

-- Marks a card as damaged: it works until one that follows it is activated. Returns why not: not_found,
-- card_closed or blocked_by_bank.
create or replace function card_damage(card uuid, by_person uuid) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare c cards;
begin
  select * into c from cards held where held.id = card and held.owner_id = by_person for no key update;
  if c.id is null then return 'not_found'; end if;
  if c.status = 'closed' then return 'card_closed'; end if;
  if c.blocked_by = 'bank' then return 'blocked_by_bank'; end if;
  update cards set damaged_at = bank_now() where id = card and damaged_at is null;
  return null;
end $$;
grant execute on function card_damage to teller_app;

-- Gives what the holder of a card asks to see, and writes down that it was seen: in the audit log and for the
-- limit of ten an hour. The number is sealed: only whoever has the key ring reads it. Returns why not:
-- not_found, card_closed, or too_many_requests with the seconds until the next one.
create or replace function card_reveal(
  card uuid, person uuid, wanted text, request text, from_address text,
  out sealed_number bytea, out key_id text, out refusal text, out retry_seconds integer
) language plpgsql security definer set search_path = public, pg_temp as $$
declare c cards; tenth timestamptz;
begin
  -- one after the other, so that no eleventh is seen
  select * into c from cards x where x.id = card and x.owner_id = person for no key update;
  select r.at into tenth from card_reveals r where r.card_id = card
    order by r.at desc offset 9 limit 1;
  refusal := case
    when c.id is null then 'not_found'
    when c.status = 'closed' then 'card_closed'
    when tenth > bank_now() - interval '1 hour' then 'too_many_requests' end;
  if refusal is not null then
    retry_seconds := greatest(1, ceil(extract(epoch from tenth + interval '1 hour' - bank_now())));
    return;
  end if;
  insert into card_reveals (card_id, what) values (card, wanted);
  insert into audit_log (at, actor_id, actor_role, action, subject_type, subject_id, request_id, address)
    select bank_now(), person, u.role, 'card.' || wanted || '_revealed', 'card', card::text, request,
           from_address
      from users u where u.id = person;
  select s.sealed_number, s.key_id into sealed_number, key_id from card_secrets s where s.card_id = card;
end $$;
grant execute on function card_reveal to teller_app;

-- Refuses to make another card of a card, and every change after its end.
create or replace function check_card_change() returns trigger language plpgsql as $$
begin
  if old.status = 'closed' or (new.id, new.owner_id, new.account_id, new.product_id, new.kind, new.last_four,
      new.replaces, new.line_id, new.issued_by, new.created_at)
     is distinct from (old.id, old.owner_id, old.account_id, old.product_id, old.kind, old.last_four,
      old.replaces, old.line_id, old.issued_by, old.created_at) then
    raise exception 'card % stands', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

-- Puts a card into the line of the card that it follows.
create or replace function set_card_line() returns trigger language plpgsql as $$
begin
  new.line_id := coalesce((select c.line_id from cards c where c.id = new.replaces), new.id);
  return new;
end $$;

create or replace trigger cards_line before insert on cards
  for each row execute function set_card_line();
create or replace trigger cards_change before update on cards
  for each row execute function check_card_change();
create or replace trigger cards_never_deleted before delete on cards
  for each row execute function refuse_change();
create or replace trigger card_reveals_stand before update or delete on card_reveals
  for each row execute function refuse_change();

-- Closes the cards of an account that is closed.
create or replace function close_cards() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update cards set status = 'closed', blocked_by = null, blocked_before = false,
      closed_reason = 'account_closed', closed_at = bank_now()
    where account_id = new.id and status <> 'closed';
  return null;
end $$;

create or replace trigger accounts_close_cards after update of status on accounts
  for each row when (new.status = 'closed') execute function close_cards();
