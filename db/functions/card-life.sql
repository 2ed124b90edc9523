-- The life of a card as time carries it on: sent, renewed before it expires, and closed after its last day.

-- Returns when a card with this last day stops working: with that day, in the bank's time zone.
create or replace function card_valid_until(last_day date) returns timestamptz
language sql stable set search_path = public, pg_temp as $$
  select first_moment((last_day + 1)::timestamp, b.time_zone) from bank_settings b
$$;
grant execute on function card_valid_until to teller_app;

-- Returns when a card expires, and when it is to be renewed: sixty days before, or after half of its life if
-- that is shorter.
create or replace function card_times(c cards, out ends timestamptz, out renews timestamptz)
language sql stable set search_path = public, pg_temp as $$
  select e.ends, greatest(e.ends - interval '60 days', c.created_at + (e.ends - c.created_at) / 2)
    from (select card_valid_until(c.expires_on) as ends) e
$$;
grant execute on function card_times to teller_app;

-- Returns whether a card can be renewed now: its time has come, no other card is in its place, and the bank
-- has not blocked it. A single-use card is not renewed, nor one that was never activated.
create or replace function card_renewable(c cards) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select c.status in ('active', 'blocked') and c.blocked_by is distinct from 'bank' and c.kind <> 'single_use'
    and bank_now() >= (select t.renews from card_times(c) t)
    and not exists (select from cards s where s.replaces = c.id)
$$;
grant execute on function card_renewable to teller_app;

-- Carries out what is due of a card, as often as it is asked: a plastic card is sent, and a card is closed
-- after its last day. Says how it is then, whether this has closed it, whether it is to be renewed, and after
-- how many seconds to look again.
create or replace function card_advance(
  card uuid, out state text, out expired boolean, out renewable boolean, out look_again_seconds bigint
) language plpgsql security definer set search_path = public, pg_temp as $$
declare c cards; times record;
begin
  select * into c from cards one where one.id = card for no key update;
  select * into times from card_times(c);
  expired := coalesce(c.status <> 'closed' and bank_now() >= times.ends, false);
  if expired then
    update cards set status = 'closed', closed_reason = 'expired', closed_at = bank_now(), blocked_by = null,
        blocked_before = false
      where id = card returning * into c;
  elsif c.kind = 'physical' and c.status <> 'closed' and c.shipped_at is null then
    update cards set shipped_at = bank_now() where id = card returning * into c;
  end if;
  state := coalesce(c.status, 'closed');
  renewable := coalesce(card_renewable(c), false);
  look_again_seconds := case
    when state = 'closed' then 0
    -- the renewal is tried again every day, for example until an account is open again
    else greatest(1, ceil(extract(epoch from least(times.ends,
      case when bank_now() < times.renews then times.renews
        when not exists (select from cards s where s.replaces = c.id) then bank_now() + interval '1 day'
        else times.ends end) - bank_now()))) end;
end $$;
grant execute on function card_advance to teller_app;

-- Issues the card that follows another one, on the same account and for the same merchant. The old card stays
-- as it is until its last day. Returns why not: not_due, or what card_issue says.
create or replace function card_renew(
  old_card uuid, new_id uuid, shipping bytea, from_number bigint, candidates jsonb, ring_key text
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare c cards;
begin
  -- the account first, as everywhere
  perform from accounts a join cards k on k.account_id = a.id where k.id = old_card for no key update of a;
  select * into c from cards k where k.id = old_card for no key update;
  if card_renewable(c) is not true then return 'not_due'; end if;
  return card_issue(new_id, c.account_id, c.product_id, c.id, c.merchant, c.single_use_amount, shipping,
    from_number, candidates, ring_key, c.owner_id);
end $$;
grant execute on function card_renew to teller_app;

-- Tells the process of a card that it was activated or closed. It then looks at the row again.
create or replace function tell_card() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into process_updates (workflow_id, update_id, name, input)
    select 'card/' || n.id, n.status, 'changed', jsonb_build_object('id', n.id)
      from changed_cards n join cards_before o on o.id = n.id
     where n.status = 'closed' and o.status <> 'closed' or o.status = 'inactive' and n.status = 'active'
    on conflict (workflow_id, update_id) do nothing;
  return null;
end $$;

create or replace trigger cards_told after update on cards
  referencing old table as cards_before new table as changed_cards
  for each statement execute function tell_card();
