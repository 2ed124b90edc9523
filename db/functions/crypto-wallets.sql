-- Wallets of coins: wanted by customers, opened by the custodian. Only these functions write them.

-- Sees to it that a customer has a wallet on each network on which the bank offers coins, or one coin. Where
-- payments carry memos it lies in the vault that all share. Returns the customer's vault, and whether one of
-- the wallets was wanted within the last minute and is not open. The process goes on with older ones by
-- itself.
create or replace function crypto_wallets_want(customer uuid, coin text, out vault uuid, out fresh boolean)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into crypto_vaults (user_id, name) values (customer, 'u:' || customer) on conflict do nothing;
  select v.id into strict vault from crypto_vaults v where v.user_id = customer;
  insert into crypto_wallets (user_id, vault_id, asset, network)
    select null, s.id, n.asset, n.network
      from crypto_offered(coin) n join crypto_vaults s on s.name = 'bank:shared'
     where n.carries_memos
     order by n.asset, n.network
    on conflict do nothing;
  insert into crypto_wallets (user_id, vault_id, asset, network)
    select customer, case when n.carries_memos then s.id else vault end, n.asset, n.network
      from crypto_offered(coin) n join crypto_vaults s on s.name = 'bank:shared'
     order by n.asset, n.network
    on conflict do nothing;
  fresh := exists (select from crypto_wallets w join crypto_offered(null) n using (asset, network)
                    where w.user_id = customer and w.status = 'creating'
                      and w.created_at > bank_now() - interval '1 minute');
end $$;

-- The networks on which the bank offers coins, or one coin.
create or replace function crypto_offered(coin text)
returns table (asset text, network text, custody_asset text, carries_memos boolean) language sql stable as $$
  select n.asset, n.network, n.custody_asset, k.carries_memos
    from asset_networks n join crypto_assets c on c.asset = n.asset join networks k on k.code = n.network
   where n.enabled and c.enabled and (coin is null or n.asset = coin);
$$;

-- Notes the custodian's number of a vault. A vault that has one keeps it.
create or replace function crypto_vault_opened(vault uuid, number text) returns text
language sql security definer set search_path = public, pg_temp as $$
  update crypto_vaults v set custody_vault = coalesce(v.custody_vault, number) where v.id = vault
  returning v.custody_vault;
$$;

-- Gives a wallet the address that the custodian has for `asked`. One that has an address keeps it. Returns
-- `address_taken` if somebody else receives coins there, and `asset_changed` if the custodian calls the coin
-- otherwise by now.
create or replace function crypto_wallet_opened(wallet uuid, asked text, place text, tag text) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare w crypto_wallets;
begin
  select * into strict w from crypto_wallets x where x.id = wallet for update;
  if w.status <> 'creating' then
    return null;
  end if;
  perform from asset_networks n
    where (n.asset, n.network) = (w.asset, w.network) and n.custody_asset = asked for share;
  if not found then
    return 'asset_changed';
  end if;
  perform pg_advisory_xact_lock(hashtextextended(place, 7321));
  if exists (select from crypto_wallets x where x.address = place and x.network = w.network
               and x.memo is not distinct from tag and x.user_id is distinct from w.user_id) then
    return 'address_taken';
  end if;
  update crypto_wallets x set status = 'active', address = place, memo = tag where x.id = wallet;
  return null;
end $$;

-- Keeps what the custodian says that a wallet holds, in the smallest unit of the chain, beside what the bank
-- knows to be there: what has come to its address and has not failed, and what has moved for the bank itself.
create or replace function crypto_wallet_refreshed(
  wallet uuid, total minor, available minor, pending minor, frozen minor, locked minor
) returns void language sql security definer set search_path = public, pg_temp as $$
  update crypto_wallets w set custody_total = total, custody_available = available, custody_pending = pending,
      custody_frozen = frozen, custody_locked = locked, refreshed_at = bank_now(),
      custody_expected = (
        select coalesce(sum(d.chain_amount), 0) from crypto_deposits d
          where (d.address, d.asset, d.network) = (w.address, w.asset, w.network)
            and (d.status in ('credited', 'below_minimum', 'under_review') or (d.custody_status <> 'failed'
              and d.status in ('pending', 'reversed'))))
        + (select coalesce(sum(m.chain_amount), 0) from custody_movements m
             join crypto_vaults v on v.custody_vault = m.vault
            where v.id = w.vault_id and (m.asset, m.network) = (w.asset, w.network))
    where w.id = wallet;
$$;

grant execute on function crypto_wallets_want, crypto_offered, crypto_vault_opened, crypto_wallet_opened,
  crypto_wallet_refreshed to teller_app;
