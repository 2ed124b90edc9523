-- Wallets of coins: wanted by customers, opened by the custodian. Only these functions write them.

-- Sees to it that a customer has a wallet on each network on which the bank offers coins, or one coin. Where
-- payments carry memos it lies in the vault that all share. Returns the customer's vault, and whether the
-- custodian has something to open there.
create or replace function crypto_wallets_want(customer uuid, coin text, out vault uuid, out creating boolean)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into crypto_vaults (user_id, name) values (customer, 'u:' || customer) on conflict do nothing;
  select v.id into strict vault from crypto_vaults v where v.user_id = customer;
  -- a network that has wallets keeps what the custodian calls it: see asset_network_set
  perform from asset_networks n where n.enabled order by n.asset, n.network for share;
  insert into crypto_wallets (user_id, vault_id, asset, network)
    select null, s.id, n.asset, n.network
      from asset_networks n join crypto_assets c on c.asset = n.asset
      join crypto_vaults s on s.name = 'bank:shared'
     where n.enabled and c.enabled and n.memo <> 'none' and coalesce(n.asset = coin, true)
     order by n.asset, n.network
    on conflict do nothing;
  insert into crypto_wallets (user_id, vault_id, asset, network)
    select customer, case when n.memo = 'none' then vault else s.id end, n.asset, n.network
      from asset_networks n join crypto_assets c on c.asset = n.asset
      join crypto_vaults s on s.name = 'bank:shared'
     where n.enabled and c.enabled and coalesce(n.asset = coin, true)
     order by n.asset, n.network
    on conflict do nothing;
  creating := exists (select from crypto_wallets w where w.user_id = customer and w.status = 'creating');
end $$;

-- Notes the custodian's number of a vault. A vault that has one keeps it.
create or replace function crypto_vault_opened(vault uuid, number text) returns text
language sql security definer set search_path = public, pg_temp as $$
  update crypto_vaults v set custody_vault = coalesce(v.custody_vault, number) where v.id = vault
  returning v.custody_vault;
$$;

-- Gives a wallet its address. One that has an address keeps it. Raises an error if somebody else receives
-- coins there.
create or replace function crypto_wallet_opened(wallet uuid, place text, tag text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare w crypto_wallets;
begin
  select * into strict w from crypto_wallets x where x.id = wallet for update;
  if w.status <> 'creating' then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('crypto address ' || w.network || ' ' || place, 0));
  if exists (select from crypto_wallets x where x.network = w.network and x.address = place
               and x.memo is not distinct from tag and x.user_id is distinct from w.user_id) then
    raise exception 'the address of wallet % is that of another customer', wallet
      using errcode = 'check_violation';
  end if;
  update crypto_wallets x set status = 'active', address = place, memo = tag where x.id = wallet;
end $$;

-- Keeps what the custodian says that a wallet holds, in the smallest unit of the chain.
create or replace function crypto_wallet_refreshed(
  wallet uuid, total minor, available minor, pending minor, frozen minor, locked minor
) returns void language sql security definer set search_path = public, pg_temp as $$
  update crypto_wallets w set custody_total = total, custody_available = available, custody_pending = pending,
      custody_frozen = frozen, custody_locked = locked, refreshed_at = bank_now()
    where w.id = wallet;
$$;

grant execute on function crypto_wallets_want, crypto_vault_opened, crypto_wallet_opened,
  crypto_wallet_refreshed to teller_app;
