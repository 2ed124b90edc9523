-- What things cost and what currencies are worth. Both are only ever added to: what was in force at a time
-- stays readable.

-- Whether the tiers of a fee go from above zero upwards: no gap, no overlap. Defined here and not in
-- db/functions, because a constraint of fee_rule_versions uses it: a change of it needs a migration that
-- checks the rows anew.
create function fee_tiers_ascend(tiers jsonb) returns boolean
language sql immutable set search_path = public, pg_temp as $$
  select coalesce(bool_and(coalesce((t->>'above')::minor > before and (t->>'flat')::minor >= 0
                                    and (t->>'rate_bps')::numeric between 0 and 10000, false)), true)
    from (select t, coalesce(lag((t->>'above')::numeric) over (order by n), 0) as before
            from jsonb_array_elements(tiers) with ordinality x(t, n)) tier
$$;

-- What of a rule never changes; the rest is in its versions.
create table fee_rules (
  id uuid primary key,
  code text not null check (code ~ '^[a-z][a-z0-9_]{1,39}$'),
  purpose text not null check (purpose in ('transfer', 'monthly')),
  asset text not null references assets,
  created_at timestamptz(3) not null default now(),
  unique (id, purpose, asset)
);
create index fee_rules_for on fee_rules (asset, purpose);
grant select, insert on fee_rules to teller_app;

-- the rule that a type refers to is a monthly one in its currency
alter table account_types add constraint account_types_monthly_fee
  foreign key (monthly_fee_rule_id, monthly_fee_purpose, asset) references fee_rules (id, purpose, asset);

-- In force is the newest version whose time has come, until its end. What a later version replaces does not
-- come back.
create table fee_rule_versions (
  rule_id uuid not null,
  version integer not null check (version > 0),
  previous integer generated always as (nullif(version - 1, 0)) stored,
  purpose text not null,
  asset text not null,
  description text not null check (char_length(description) between 1 and 140),
  enabled boolean not null,
  transfer_type text references transfer_types,
  account_type_id uuid,
  priority integer not null check (priority between -1000 and 1000),
  flat minor not null check (flat >= 0),
  rate_bps numeric(11, 6) not null check (rate_bps between 0 and 10000),
  minimum minor check (minimum >= 0),
  maximum minor check (maximum >= 0),
  tier_mode text not null check (tier_mode in ('graduated', 'slab')),
  tiers jsonb not null default '[]' check (jsonb_typeof(tiers) = 'array' and jsonb_array_length(tiers) <= 50),
  valid_from timestamptz(3) not null,
  valid_to timestamptz(3),
  created_by uuid references users,
  -- a column of milliseconds rounds, and what begins now must not begin after now
  created_at timestamptz(3) not null default date_trunc('milliseconds', now()),
  primary key (rule_id, version),
  foreign key (rule_id, purpose, asset) references fee_rules (id, purpose, asset),
  foreign key (rule_id, previous) references fee_rule_versions (rule_id, version),
  -- a rule for one account type is in its currency, or it would never be charged
  constraint fee_rule_versions_account_type_fits
    foreign key (account_type_id, asset) references account_types (id, asset),
  constraint fee_rule_tiers_ascend check (fee_tiers_ascend(tiers)),
  constraint fee_rule_bounds check (minimum <= maximum),
  constraint fee_rule_period check (valid_to > valid_from),
  -- a rule never reaches back: what it said at a past time stays said
  constraint fee_rule_ahead check (valid_from >= created_at),
  -- a monthly fee has no amount of which it could be a share
  constraint fee_rule_monthly_is_flat check (purpose <> 'monthly' or
    (rate_bps = 0 and tiers = '[]' and minimum is null and maximum is null
     and transfer_type is null and account_type_id is null))
);
create index fee_rule_versions_account_type on fee_rule_versions (account_type_id)
  where account_type_id is not null;
-- the writer does not say when a row was written
grant select on fee_rule_versions to teller_app;
grant insert (rule_id, version, purpose, asset, description, enabled, transfer_type, account_type_id,
  priority, flat, rate_bps, minimum, maximum, tier_mode, tiers, valid_from, valid_to, created_by)
  on fee_rule_versions to teller_app;

-- One row per account and month; its id, made of both, is the reference in the books.
create table account_fees (
  id uuid primary key,
  account_id uuid not null references accounts,
  month date not null check (month = date_trunc('month', month::timestamp)::date),
  rule_id uuid not null,
  rule_version integer not null,
  asset text not null references assets,
  amount minor not null check (amount > 0),
  description text not null,
  status text not null default 'due' check (status in ('due', 'charged', 'refused', 'waived')),
  -- why the books refused it last
  refusal text,
  attempts integer not null default 0 check (attempts >= 0),
  transaction_id uuid unique references ledger_transactions,
  created_at timestamptz(3) not null default now(),
  tried_at timestamptz(3),
  unique (account_id, month),
  foreign key (rule_id, rule_version) references fee_rule_versions (rule_id, version),
  foreign key (account_id, asset) references accounts (id, asset),
  constraint account_fees_charged check ((status = 'charged') = (transaction_id is not null)),
  constraint account_fees_refused check ((status = 'refused') <= (refusal is not null))
);
create index account_fees_newest on account_fees (month, account_id);
create index account_fees_open on account_fees (id) where status in ('due', 'refused');
grant select on account_fees to teller_app;

-- Which months are done: a fee that is attached to a type later is not charged for a month that was.
create table account_fee_months (
  month date primary key check (month = date_trunc('month', month::timestamp)::date),
  began_at timestamptz(3) not null default now(),
  finished_at timestamptz(3)
);
grant select, insert on account_fee_months to teller_app;
grant update (finished_at) on account_fee_months to teller_app;

create table fx_settings (
  only_row boolean primary key default true check (only_row),
  -- rates between two other currencies are made over this one
  base_asset text not null references assets,
  -- a rate that names no end is stale after it
  stale_seconds integer not null check (stale_seconds between 1 and 31536000)
);
grant select on fx_settings to teller_app;

-- One unit of base is 'rate' units of quote; the newest by valid_from counts, even if it has ended.
create table fx_rates (
  id uuid primary key,
  base text not null references assets,
  quote text not null references assets,
  rate numeric(28, 12) not null check (rate > 0),
  -- two legs at their highest leave something
  spread_bps numeric(8, 4) not null check (spread_bps >= 0 and spread_bps < 5000),
  valid_from timestamptz(3) not null,
  valid_until timestamptz(3),
  source text not null check (char_length(source) between 1 and 80),
  created_by uuid references users,
  created_at timestamptz(3) not null default now(),
  constraint fx_rates_two_currencies check (base <> quote),
  constraint fx_rates_period check (valid_until > valid_from)
);
create index fx_rates_newest on fx_rates (base, quote, valid_from desc, id desc);
-- the writer does not say when a row was written
grant select on fx_rates to teller_app;
grant insert (id, base, quote, rate, spread_bps, valid_from, valid_until, source, created_by)
  on fx_rates to teller_app;
