-- Prices of coins: what each source says, the price that follows, and every price that was used.

-- how old a price may be, by the time of its source
alter table bank_settings add column price_max_age_seconds smallint not null default 30
  check (price_max_age_seconds between 1 and 3600);

-- Who tells prices. Several workers ask, one at a time.
create table price_sources (
  source text primary key check (source ~ '^[a-z0-9_]{1,20}$'),
  asked_at timestamptz(3) not null
);
grant select on price_sources to teller_app;

-- The newest that each source has said of a coin.
create table source_prices (
  asset text not null references crypto_assets,
  currency text not null references assets,
  source text not null references price_sources,
  price numeric not null check (price > 0 and price < 1e15 and scale(price) <= 18),
  -- by the clock of the source
  told_at timestamptz(3) not null,
  primary key (asset, currency, source)
);
grant select on source_prices to teller_app;

-- The newest price of a coin that the bank has taken, and its breaker.
create table coin_prices (
  asset text not null references crypto_assets,
  currency text not null references assets,
  price numeric check (price > 0),
  -- the oldest time of the sources that it follows from
  priced_at timestamptz(3),
  -- [{ source, price, at }]
  sources jsonb,
  breaker_opened_at timestamptz(3),
  -- what was too far from the price, and was not taken
  breaker_price numeric check (breaker_price > 0),
  primary key (asset, currency),
  constraint coin_prices_whole check (num_nonnulls(price, priced_at, sources) in (0, 3)),
  constraint coin_prices_breaker check ((breaker_opened_at is null) = (breaker_price is null))
);
grant select on coin_prices to teller_app;

-- Prices that something was done at, kept for ever.
create table used_prices (
  id uuid primary key default uuidv7(),
  asset text not null references crypto_assets,
  currency text not null references assets,
  price numeric not null check (price > 0),
  priced_at timestamptz(3) not null,
  sources jsonb not null check (jsonb_array_length(sources) >= 2),
  created_at timestamptz(3) not null default bank_now(),
  constraint used_prices_once unique (asset, currency, priced_at, price)
);
grant select on used_prices to teller_app;

-- A day's snapshot of what customers have in coins is that of one moment, with the prices of then.
create table crypto_snapshot_days (
  day date not null,
  asset text not null references crypto_assets,
  currency text not null references assets,
  -- null if the coin had no price yet
  price_id uuid references used_prices,
  taken_at timestamptz(3) not null,
  primary key (day, asset)
);
grant select on crypto_snapshot_days to teller_app;

create table crypto_snapshots (
  user_id uuid not null references users,
  day date not null,
  asset text not null,
  balance minor not null,
  primary key (user_id, day, asset),
  foreign key (day, asset) references crypto_snapshot_days (day, asset)
);
grant select on crypto_snapshots to teller_app;
-- customers' coins are walked through in this order
create index accounts_coins on accounts (id) where kind = 'coin';
