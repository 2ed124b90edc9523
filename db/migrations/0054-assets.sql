-- What the books can hold is asked of the table of assets alone.

-- A rate has 18 significant digits wherever its point is: it may be of something of which a unit is worth
-- next to nothing. A numeric without a scale is stored as before, so the table is not written anew.
alter table fx_rates alter column rate type numeric;
alter table fx_rates add constraint fx_rates_readable check (rate < 1e18 and scale(rate) <= 36);

-- The chains that coins move on.
create table networks (
  code text primary key check (code ~ '^[a-z][a-z0-9_]{1,39}$')
);
grant select on networks to teller_app;
insert into networks (code) values ('bitcoin'), ('litecoin'), ('dogecoin'), ('ethereum'), ('polygon'),
  ('bnb'), ('tron'), ('solana'), ('ripple'), ('stellar');

-- How an asset moves on a network. What accounts hold is the asset, whichever network it came by.
create table asset_networks (
  asset text not null references assets,
  network text not null references networks,
  enabled boolean not null default false,
  -- the custodian's name for the asset on this network
  custody_asset text not null check (char_length(custody_asset) between 1 and 80),
  -- digits after the point on the chain, which may be more than the books keep
  scale smallint not null check (scale between 0 and 36),
  contract text check (char_length(contract) between 1 and 200),
  confirmations integer not null check (confirmations > 0),
  -- minor units of the asset in the books
  min_deposit minor not null default 0 check (min_deposit >= 0),
  min_withdrawal minor not null default 0 check (min_withdrawal >= 0),
  memo text not null default 'none' check (memo in ('none', 'optional', 'required')),
  primary key (asset, network),
  unique (custody_asset)
);
grant select on asset_networks to teller_app;
