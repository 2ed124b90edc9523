-- Proof of reserves: what the custodian holds, what moves there for the bank itself, and whether it agrees
-- with the books.

-- What moves the bank's coins and is nobody's deposit: gas for a vault, the fees of the network, and coins
-- that come from another vault of the custodian or go there.
create table custody_movements (
  id uuid primary key default uuidv7(),
  -- the custodian's transaction, and which part of it: what comes to a vault of the bank, what leaves one,
  -- and what that costs
  custody_id text not null check (char_length(custody_id) between 1 and 80),
  part text not null check (part in ('in', 'out', 'fee')),
  -- the custodian's name of the vault
  vault text not null,
  -- the house account that stands for it: costs, coins of the bank, or coins between its own vaults
  role text not null references house_roles
    check (role in ('network_fees', 'crypto_position', 'custody_transit')),
  asset text not null,
  network text not null,
  -- what it brings to the vault, negative if it goes, in the smallest unit of the chain; and how much of that
  -- is booked
  chain_amount minor not null,
  booked minor not null default 0,
  -- what the custodian says of it, and when it said so last
  custody_status text not null check (custody_status in ('moving', 'completed', 'failed')),
  custody_updated timestamptz(3) not null,
  created_at timestamptz(3) not null default bank_now(),
  foreign key (asset, network) references asset_networks (asset, network),
  constraint custody_movements_once unique (custody_id, part),
  constraint custody_movements_booked check (booked = case custody_status when 'moving' then 0
    else chain_amount end)
);
create index custody_movements_network on custody_movements (asset, network, vault);
create index custody_movements_open on custody_movements (asset) where booked <> chain_amount;
grant select on custody_movements to teller_app;

-- What was booked of movements, and taken back.
create table custody_movement_bookings (
  -- the source of the ledger transaction
  id uuid primary key default uuidv7(),
  movement_id uuid not null references custody_movements,
  -- in the smallest unit of the chain
  chain_amount minor not null check (chain_amount <> 0),
  -- null if it is less than the smallest unit of the books
  transaction_id uuid unique references ledger_transactions,
  created_at timestamptz(3) not null default bank_now()
);
create index custody_movement_bookings_movement on custody_movement_bookings (movement_id);
grant select on custody_movement_bookings to teller_app;

-- What the custodian said last that all vaults of the bank hold together, in whole coins.
create table custody_holdings (
  asset text not null,
  network text not null,
  total numeric not null check (total >= 0),
  available numeric not null check (available >= 0),
  pending numeric not null check (pending >= 0),
  frozen numeric not null check (frozen >= 0),
  locked numeric not null check (locked >= 0),
  primary key (asset, network),
  foreign key (asset, network) references asset_networks (asset, network)
);
grant select on custody_holdings to teller_app;

-- Each coin when it was counted last: customers and the house by the books, and what the custodian holds.
create table crypto_reserves (
  asset text primary key references crypto_assets,
  -- all in whole coins: what the bank owes its customers, and what they owe the bank
  owed numeric not null check (owed >= 0),
  overdrawn numeric not null check (overdrawn >= 0),
  -- { role: balance as a text }, without custody
  house jsonb not null,
  -- what is on its way, or less than the books can hold, and what the custodian holds
  in_flight numeric not null,
  remainder numeric not null check (remainder >= 0),
  custodian numeric not null check (custodian >= 0),
  difference numeric not null,
  shortfall numeric not null check (shortfall >= 0),
  -- since when each count has found it
  differs_since timestamptz(3),
  short_since timestamptz(3),
  -- the custodian was asked before this, the books at it
  asked_at timestamptz(3) not null,
  counted_at timestamptz(3) not null,
  constraint crypto_reserves_differ check ((difference <> 0) = (differs_since is not null)),
  constraint crypto_reserves_short check ((shortfall > 0) = (short_since is not null))
);
grant select on crypto_reserves to teller_app;

-- what the bank knew to be in a wallet when the custodian was last asked, in the smallest unit of the chain;
-- null if that was before it was kept
alter table crypto_wallets add column custody_expected minor;

-- several workers count, one at a time
alter table custody_poll add column counted_at timestamptz(3) not null default '-infinity';
-- what has moved for the bank itself is looked for from the start
update custody_poll set seen_until = coalesce((select min(created_at) from crypto_vaults), seen_until);
-- crypto_units_move has taken its place
drop function if exists crypto_remainder_move(crypto_deposits, int);

-- while debits are stopped nobody's coins go out of an account, but by what must be booked
alter table crypto_assets add column debits_stopped boolean not null default false;
