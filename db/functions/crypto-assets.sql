-- The coins that the bank offers: administrators say on which terms. Only these functions write them.

-- Changes the terms of a coin; what the change does not name stays.
create or replace function crypto_asset_set(coin text, actor uuid, change jsonb) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare c crypto_assets;
begin
  perform require_action(actor, 'crypto:write');
  select (jsonb_populate_record(x, change)).* into strict c
    from crypto_assets x where x.asset = coin for update;
  update crypto_assets x set enabled = c.enabled, spread_bps = c.spread_bps, min_order = c.min_order,
      max_order = c.max_order, breaker_bps = c.breaker_bps, max_deviation_bps = c.max_deviation_bps,
      debits_stopped = c.debits_stopped, updated_by = actor, updated_at = bank_now()
    where x.asset = coin;
end $$;

-- Stops debits of a coin of which the chain has taken back what was credited: somebody may have spent it, and
-- there may be more to come.
create or replace function stop_debits() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update crypto_assets x set debits_stopped = true where x.asset = new.asset and not x.debits_stopped;
  return null;
end $$;

create or replace trigger crypto_deposits_stop_debits after update of status on crypto_deposits
  for each row when (old.status = 'credited' and new.status = 'reversed') execute function stop_debits();

-- Changes how a coin moves on a network; what the change does not name stays. Returns `custody_asset_taken`
-- if the custodian's name stands for another coin or network already, and `has_wallets` if wallets
-- would become those of something else.
create or replace function asset_network_set(coin text, chain text, actor uuid, change jsonb) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  old asset_networks;
  n asset_networks;
begin
  perform require_action(actor, 'crypto:write');
  select * into strict old from asset_networks x where (x.asset, x.network) = (coin, chain) for update;
  n := jsonb_populate_record(old, change);
  if (n.custody_asset, n.scale) is distinct from (old.custody_asset, old.scale)
     or n.contract is distinct from old.contract then
    if exists (select from crypto_wallets w where (w.asset, w.network) = (coin, chain)
                 and w.status <> 'creating') then
      return 'has_wallets';
    end if;
  end if;
  update asset_networks x set enabled = n.enabled, custody_asset = n.custody_asset, scale = n.scale,
      contract = n.contract, confirmations = n.confirmations, min_deposit = n.min_deposit,
      min_withdrawal = n.min_withdrawal, memo = n.memo, updated_by = actor, updated_at = bank_now()
    where (x.asset, x.network) = (coin, chain);
  return null;
exception when unique_violation then
  return 'custody_asset_taken';
end $$;

-- Returns how many of the smallest units of the books an amount is that has come to a network, or has gone
-- (negative), in the smallest unit of its chain. What the books cannot hold is added to the remainder of the
-- network, and counts once it makes a whole unit.
create or replace function crypto_units_move(coin text, chain text, chain_amount numeric) returns numeric
language plpgsql set search_path = public, pg_temp as $$
declare digits int; units numeric; sum numeric; whole numeric;
begin
  select a.scale - n.scale into strict digits from asset_networks n join assets a on a.code = n.asset
    where (n.asset, n.network) = (coin, chain);
  units := ('1e' || greatest(-digits, 0))::numeric;
  if mod(chain_amount, units) = 0 then return trunc(chain_amount * ('1e' || digits)::numeric); end if;
  select n.remainder + chain_amount into sum from asset_networks n
    where (n.asset, n.network) = (coin, chain) for no key update;
  whole := floor(sum / units);
  update asset_networks n set remainder = sum - whole * units where (n.asset, n.network) = (coin, chain);
  return whole;
end $$;

grant execute on function crypto_asset_set, asset_network_set to teller_app;
