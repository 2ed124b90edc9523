-- Payments on these networks carry a memo or a tag, so that many customers can share an address.
alter table networks add column carries_memos boolean not null default false;
update networks set carries_memos = true where code in ('ripple', 'stellar');

-- Where customers receive coins. The custodian keeps them in vaults: one for each customer, and one that all
-- share on the networks whose payments carry a memo or a tag, which says whom a payment is for.
create table crypto_vaults (
  id uuid primary key default uuidv7(),
  -- null for vaults of the bank
  user_id uuid unique references users,
  -- by which the custodian finds it again
  name text not null unique check (char_length(name) between 1 and 80),
  -- the custodian's number of it, once it is known
  custody_vault text unique check (char_length(custody_vault) between 1 and 80),
  created_at timestamptz(3) not null default bank_now()
);
grant select on crypto_vaults to teller_app;
insert into crypto_vaults (name) values ('bank:shared');

create table crypto_wallets (
  id uuid primary key default uuidv7(),
  -- whose deposits arrive there; null for the wallet that others share
  user_id uuid references users,
  vault_id uuid not null references crypto_vaults,
  asset text not null,
  network text not null,
  status text not null default 'creating' check (status in ('creating', 'active', 'retired')),
  -- in the form in which the bank compares addresses
  address text check (char_length(address) between 1 and 200),
  memo text check (char_length(memo) between 1 and 64),
  created_at timestamptz(3) not null default bank_now(),
  -- what the custodian said that it holds, in the smallest unit of the chain
  custody_total minor,
  custody_available minor,
  custody_pending minor,
  custody_frozen minor,
  custody_locked minor,
  refreshed_at timestamptz(3),
  foreign key (asset, network) references asset_networks (asset, network),
  check ((status = 'creating') = (address is null)),
  check (num_nulls(custody_total, custody_available, custody_pending, custody_frozen, custody_locked,
                   refreshed_at) in (0, 6))
);
grant select on crypto_wallets to teller_app;
create unique index crypto_wallets_own on crypto_wallets (user_id, asset, network)
  where status <> 'retired' and user_id is not null;
create unique index crypto_wallets_shared on crypto_wallets (vault_id, asset, network) where user_id is null;
-- whose an address is
create index crypto_wallets_address on crypto_wallets (address, network, memo);
create index crypto_wallets_user on crypto_wallets (user_id, id);
create index crypto_wallets_vault on crypto_wallets (vault_id, asset, network);
create index crypto_wallets_network on crypto_wallets (asset, network, id);
create index crypto_wallets_creating on crypto_wallets (user_id) where status = 'creating';
