-- Which keys the cards need. The application cannot read a secret, but has to know that its ring is whole.

-- Returns the ids of the keys with which PINs of open cards were made, and numbers of cards that are not half
-- a year past their last day: what happens to a payment still finds its card when the card is closed.
create or replace function card_keys_in_use() returns text[]
language sql stable security definer set search_path = public, pg_temp as $$
  with recursive number_keys(key_id) as (
    select min(s.key_id) from card_secrets s
    union all
    select (select min(s.key_id) from card_secrets s where s.key_id > k.key_id) from number_keys k
      where k.key_id is not null
  ), pin_keys(key_id) as (
    select min(p.key_id) from card_pins p
    union all
    select (select min(p.key_id) from card_pins p where p.key_id > k.key_id) from pin_keys k
      where k.key_id is not null
  )
  select array(
    select k.key_id from number_keys k
      where exists (select from card_secrets s join cards c on c.id = s.card_id
        where s.key_id = k.key_id and c.expires_on >= bank_day(bank_now()) - 183)
    union
    select k.key_id from pin_keys k
      where exists (select from card_pins p join cards c on c.id = p.card_id
        where p.key_id = k.key_id and c.status <> 'closed')
    order by 1)
$$;
grant execute on function card_keys_in_use to teller_app;
