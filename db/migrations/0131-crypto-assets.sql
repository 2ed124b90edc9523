-- The coins that the bank offers, and on which terms. What they are in the books stands in assets; which
-- networks they move on in asset_networks, whose rows the settings bring (CRYPTO_CHAINS).
insert into assets (code, scale, kind) values ('BTC', 8, 'crypto'), ('LTC', 8, 'crypto'),
  ('DOGE', 8, 'crypto'), ('ETH', 18, 'crypto'), ('USDC', 6, 'crypto'), ('USDT', 6, 'crypto'),
  ('SOL', 9, 'crypto'), ('XRP', 6, 'crypto'), ('TRX', 6, 'crypto'), ('XLM', 7, 'crypto')
  on conflict (code) do nothing;

create table crypto_assets (
  asset text primary key references assets,
  name text not null check (char_length(name) between 1 and 80),
  enabled boolean not null default false,
  -- what the price of an order is away from the middle, in hundredths of a percent
  spread_bps smallint not null default 100 check (spread_bps between 0 and 5000),
  -- what an order may be worth, in minor units of the base currency
  min_order minor not null default 1000 check (min_order >= 0),
  max_order minor check (max_order >= min_order),
  -- how far a price may jump before nobody trades at it
  breaker_bps smallint not null default 1000 check (breaker_bps between 1 and 10000),
  -- how far a source may be from the middle of all and still count
  max_deviation_bps smallint not null default 200 check (max_deviation_bps between 1 and 10000),
  updated_by uuid references users,
  updated_at timestamptz(3) not null default bank_now()
);
grant select on crypto_assets to teller_app;
insert into crypto_assets (asset, name) values ('BTC', 'Bitcoin'), ('LTC', 'Litecoin'), ('DOGE', 'Dogecoin'),
  ('ETH', 'Ether'), ('USDC', 'USD Coin'), ('USDT', 'Tether USD'), ('SOL', 'Solana'), ('XRP', 'XRP'),
  ('TRX', 'TRON'), ('XLM', 'Stellar Lumen');

-- which networks coins move on; null until the settings have said so once
alter table bank_settings add column crypto_chains text check (crypto_chains in ('mainnet', 'testnet'));

alter table asset_networks
  add column updated_by uuid references users,
  add column updated_at timestamptz(3) not null default bank_now();
