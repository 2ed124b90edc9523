-- Payment systems and products of cards: who may write them, and what of them stands.

create or replace trigger card_payment_systems_author before insert or update on card_payment_systems
  for each statement execute function require_author('cards:write');
create or replace trigger card_iin_ranges_author before insert or delete or update of last on card_iin_ranges
  for each statement execute function require_author('cards:write');
create or replace trigger card_payment_system_versions_author before insert on card_payment_system_versions
  for each row execute function require_author('cards:write', 'created_by');
create or replace trigger card_products_author before insert or update on card_products
  for each statement execute function require_author('cards:write');
create or replace trigger card_product_versions_author before insert on card_product_versions
  for each row execute function require_author('cards:write', 'created_by');

create or replace trigger card_payment_system_versions_stand
  before update or delete on card_payment_system_versions
  for each row execute function refuse_change();

-- Fills in what a version does not say of payments without the card: 100 in whole units and five of them, the
-- most that RTS 2018/389, article 16, lets pass without a proof.
create or replace function set_sca_remote() returns trigger
language plpgsql set search_path = public, pg_temp as $$
begin
  select jsonb_build_object('count', 5, 'amount', trim_scale(100 * power(10::numeric, a.scale))::text)
      || jsonb_strip_nulls(coalesce(new.sca_remote, '{}'))
    into new.sca_remote
    from card_products p join assets a on a.code = p.asset where p.id = new.product_id;
  return new;
end $$;

create or replace trigger card_product_versions_remote before insert on card_product_versions
  for each row execute function set_sca_remote();
create or replace trigger card_product_versions_stand before update or delete on card_product_versions
  for each row execute function refuse_change();

-- Refuses to take numbers out of a range of which some are given to cards.
create or replace function check_iin_range() returns trigger language plpgsql as $$
begin
  if old.issued > 0 and (tg_op = 'DELETE' or new.last < old.last) then
    raise exception 'numbers of the range from % are in use', old.first
      using errcode = 'restrict_violation', constraint = 'card_iin_ranges_in_use';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;

create or replace trigger card_iin_ranges_in_use before update or delete on card_iin_ranges
  for each row execute function check_iin_range();

-- Puts all open cards of a product under its newest version. Returns how many had another one.
create or replace function card_product_apply(of_product uuid, by_person uuid) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare moved integer;
begin
  perform require_action(action => 'cards:write', person => by_person);
  update cards c set product_version = p.version
    from card_products p
    where p.id = of_product and c.product_id = p.id and c.product_version <> p.version
      and c.status <> 'closed';
  get diagnostics moved = row_count;
  return moved;
end $$;
grant execute on function card_product_apply to teller_app;
