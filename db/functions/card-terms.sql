-- The terms of a card: what its product says, and what its holder has set beside it.

-- Sets the holder's own controls or limits; null leaves them as they are. Whatever they say, those of the
-- product that the holder may not loosen stay. Returns why not, or null.
create or replace function card_set_terms(
  card uuid, by_person uuid, new_controls jsonb, new_limits jsonb
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare c cards;
begin
  select * into c from cards x where x.id = card and x.owner_id = by_person for no key update;
  if c.id is null then return 'not_found'; end if;
  if c.status = 'closed' then return 'card_closed'; end if;
  insert into card_terms as t (card_id, controls, limits)
      values (card, coalesce(new_controls, '[]'), coalesce(new_limits, '[]'))
    on conflict (card_id) do update set controls = coalesce(new_controls, t.controls),
      limits = coalesce(new_limits, t.limits), updated_at = bank_now();
  return null;
end $$;
grant execute on function card_set_terms to teller_app;

-- Returns the rules that count, each with set_by: all of the holder's, and of the product's those that the
-- holder may not loosen or has not set otherwise. What two rules have of these keys in common makes them two
-- of the same.
create or replace function card_rules(of_product jsonb, own jsonb, keys text[]) returns jsonb
language sql immutable set search_path = public, pg_temp as $$
  select coalesce(jsonb_agg(r.rule order by r.side, r.n), '[]') from (
    select 1 as side, b.n, b.rule || '{"set_by": "bank"}' as rule
      from jsonb_array_elements(of_product) with ordinality b(rule, n)
     where not (b.rule->'customer_may_loosen' = 'true' and exists (
       select from jsonb_array_elements(own) o
        where not exists (select from unnest(keys) k where o->>k is distinct from b.rule->>k)
          -- of amount and count, what the holder does not name stays
          and (b.rule->>'amount' is null or o->>'amount' is not null)
          and (b.rule->>'count' is null or o->>'count' is not null)))
    union all
    select 2, h.n, h.rule || '{"set_by": "customer"}'
      from jsonb_array_elements(own) with ordinality h(rule, n)) r
$$;
grant execute on function card_rules to teller_app;

-- Returns the controls that count for a card.
create or replace function card_controls(of_product jsonb, own jsonb) returns jsonb
language sql immutable set search_path = public, pg_temp as $$
  select card_rules(of_product, coalesce(own, '[]'), array['type', 'mode'])
$$;
grant execute on function card_controls to teller_app;

-- Returns the limits that count for a card.
create or replace function card_limits(of_product jsonb, own jsonb) returns jsonb
language sql immutable set search_path = public, pg_temp as $$
  select card_rules(of_product, coalesce(own, '[]'), array['period', 'scope'])
$$;
grant execute on function card_limits to teller_app;

-- Gives a card that replaces another one what its holder has set for that one.
create or replace function inherit_card_terms() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into card_terms (card_id, controls, limits)
    select new.id, t.controls, t.limits from card_terms t where t.card_id = new.replaces;
  return null;
end $$;
create or replace trigger cards_inherit_terms after insert on cards
  for each row when (new.replaces is not null) execute function inherit_card_terms();

-- Returns the first kind of control that a payment breaks: channel, category, country or merchant; null if
-- there is none. An allowed list wants all that the payment is, a blocked one nothing of it.
create or replace function card_control_broken(controls jsonb, said jsonb, is_cash boolean) returns text
language sql immutable set search_path = public, pg_temp as $$
  select c->>'type' from jsonb_array_elements(controls) c, lateral (select case c->>'type'
      when 'channel' then case when is_cash then array[said->>'entry_mode', 'cash']
        else array[said->>'entry_mode'] end
      when 'category' then array[said->'merchant'->>'mcc']
      when 'country' then array[said->'merchant'->>'country']
      else array[said->'merchant'->>'id'] end) x(paid)
    where case c->>'mode' when 'allow' then not (c->'values' ?& x.paid) else c->'values' ?| x.paid end
    order by array_position(array['channel', 'category', 'country', 'merchant'], c->>'type') limit 1
$$;
