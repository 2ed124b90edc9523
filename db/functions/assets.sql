-- Assets: whatever the books can hold, currencies of ISO 4217 and coins. A row is never changed (see
-- append-only.sql), so whoever has read it knows its scale for ever.

-- Refuses an asset with more digits than the books keep, in words that name the limit.
create or replace function check_asset() returns trigger language plpgsql as $$
begin
  if new.scale > 18 then
    raise exception 'asset % has % digits after the point; the books keep at most 18', new.code, new.scale
      using errcode = 'check_violation', constraint = 'assets_scale_check',
        hint = 'Choose a scale of at most 18; the digits on a chain belong to asset_networks.';
  end if;
  return new;
end $$;

create or replace trigger assets_fit before insert on assets
  for each row execute function check_asset();

-- Tells every process that there are new assets.
create or replace function tell_assets() returns trigger language plpgsql as $$
begin
  perform pg_notify('teller_assets', '');
  return null;
end $$;

create or replace trigger assets_told after insert on assets
  for each statement execute function tell_assets();

-- Refuses a row of which one of these columns names something else than a currency: no account type, exchange
-- rate or base of the bank is ever of a coin.
create or replace function require_currency() returns trigger
language plpgsql set search_path = public, pg_temp as $$
declare named text;
begin
  foreach named in array tg_argv loop
    if exists (select from assets a where a.code = to_jsonb(new) ->> named and a.kind <> 'fiat') then
      raise exception '% of % is no currency', to_jsonb(new) ->> named, tg_table_name
        using errcode = 'check_violation', constraint = tg_name;
    end if;
  end loop;
  return new;
end $$;

create or replace trigger account_types_of_currencies before insert or update of asset
  on account_types
  for each row execute function require_currency('asset');
create or replace trigger fx_rates_of_currencies before insert on fx_rates
  for each row execute function require_currency('base', 'quote');
create or replace trigger fx_settings_of_a_currency before insert or update on fx_settings
  for each row execute function require_currency('base_asset');
create or replace trigger transfer_type_currencies_are before insert or update of asset
  on transfer_type_currencies
  for each row execute function require_currency('asset');

-- Refuses a network for a currency: money of a state moves on no chain.
create or replace function check_asset_network() returns trigger
language plpgsql set search_path = public, pg_temp as $$
begin
  if exists (select from assets a where a.code = new.asset and a.kind = 'fiat') then
    raise exception '% is a currency and has no networks', new.asset using errcode = 'check_violation';
  end if;
  return new;
end $$;

create or replace trigger asset_networks_of_coins before insert on asset_networks
  for each row execute function check_asset_network();
