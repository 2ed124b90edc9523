-- The books. The application's role may read them and call the functions that post; it cannot write a row
-- itself.

-- Currencies and other things that accounts hold.
create table assets (
  code text primary key check (code ~ '^[A-Z0-9]{2,10}$'),
  scale smallint not null check (scale between 0 and 18),
  kind text not null check (kind in ('fiat', 'crypto'))
);
grant select on assets to teller_app;

create table account_types (
  id uuid primary key default uuidv7(),
  code text not null unique check (code ~ '^[a-z][a-z0-9_]{1,39}$'),
  name text not null check (char_length(name) between 1 and 80),
  asset text not null references assets,
  openable_by text not null check (openable_by in ('customer', 'request')),
  overdraft_limit minor not null default 0 check (overdraft_limit >= 0),
  max_balance minor check (max_balance > 0),
  enabled boolean not null default true,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- what must stay on an account once it is there; the opposite of an overdraft, so a type has one of them
  min_balance minor not null default 0 check (min_balance >= 0),
  -- 0 none, 1 basic, 2 full: what the customer must have proven to open one
  kyc_level_required smallint not null default 0 check (kyc_level_required between 0 and 2),
  -- a monthly rule in the type's currency, see 06-pricing.sql
  monthly_fee_rule_id uuid,
  monthly_fee_purpose text not null generated always as ('monthly') stored,
  constraint account_types_limits_fit
    check ((min_balance = 0 or overdraft_limit = 0) and max_balance > min_balance),
  constraint account_types_asset unique (id, asset)
);
-- code and asset stand for ever: accounts of the type have them
grant select, insert, delete on account_types to teller_app;
grant update (name, openable_by, min_balance, max_balance, overdraft_limit, kyc_level_required,
  monthly_fee_rule_id, enabled, updated_at) on account_types to teller_app;

create sequence account_numbers start 1000000001;

create table accounts (
  id uuid primary key default uuidv7(),
  kind text not null check (kind in ('customer', 'house')),
  owner_id uuid references users,
  account_type_id uuid references account_types,
  -- house accounts: what for, and which of the rows it is spread over
  role text check (role in
    ('adjustments', 'clearing', 'fees', 'fx_position', 'fx_spread', 'nostro', 'suspense')),
  shard smallint,
  number text unique,
  nickname text check (char_length(nickname) between 1 and 60),
  asset text not null references assets,
  status text not null default 'open' check (status in ('open', 'blocked', 'frozen', 'closed')),
  posted minor not null default 0,
  held minor not null default 0 check (held >= 0),
  -- below zero, it is a balance that must be kept
  overdraft_limit minor not null default 0,
  max_balance minor check (max_balance > 0),
  entry_seq bigint not null default 0,
  last_entry_at timestamptz(3) not null default '-infinity',
  opened_at timestamptz(3) not null default now(),
  closed_at timestamptz(3),
  iban text unique,
  unique (id, asset),
  unique (role, asset, shard),
  constraint accounts_kind_fits check (case kind
    when 'customer' then owner_id is not null and account_type_id is not null and number is not null
      and role is null and shard is null
    else owner_id is null and account_type_id is null and number is null
      and role is not null and shard is not null end),
  constraint accounts_never_overdrawn
    check (kind = 'house' or posted - held >= - greatest(overdraft_limit::numeric, 0)),
  constraint accounts_closed_empty
    check (status <> 'closed' or (posted = 0 and held = 0 and closed_at is not null))
) with (fillfactor = 50);
create index accounts_owner on accounts (owner_id, id) where owner_id is not null;
create index accounts_without_iban on accounts (id) where kind = 'customer' and iban is null;
-- the lists and counts of the back office
create index accounts_status on accounts (status, id) where kind = 'customer';
create index accounts_type on accounts (account_type_id, id) where kind = 'customer';
create index accounts_asset on accounts (asset, id) where kind = 'customer';
-- the bank's own accounts, for the trial balance
create index accounts_house on accounts (role, asset) where kind = 'house';
grant select, update (nickname) on accounts to teller_app;

-- A transaction is its own event in the feed of the books: written with it, or not at all.
create table ledger_transactions (
  id uuid primary key,
  kind text not null check (kind ~ '^[a-z_]{1,40}$'),
  source_type text not null,
  source_id uuid not null,
  booked_at timestamptz(3) not null,
  value_date date not null,
  description text not null default '' check (char_length(description) <= 140),
  metadata jsonb not null default '{}',
  reverses uuid unique references ledger_transactions,
  -- drawn while all accounts of the transaction are locked, so of two that touch the same account, the first
  -- that was booked comes first
  position bigint generated always as identity,
  unique (source_type, source_id, kind)
);
create unique index ledger_transactions_position on ledger_transactions (position);
grant select on ledger_transactions to teller_app;
grant select on sequence ledger_transactions_position_seq to teller_app;

create table ledger_entries (
  account_id uuid not null,
  seq bigint not null check (seq > 0),
  transaction_id uuid not null references ledger_transactions,
  asset text not null,
  amount minor not null check (amount <> 0),
  balance_after minor not null,
  booked_at timestamptz(3) not null,
  value_date date not null,
  -- which part of its transaction an entry is: a customer sees a fee as a line of its own
  part text not null default 'principal'
    constraint ledger_entries_part check (part in ('principal', 'fee', 'fx', 'spread')),
  primary key (account_id, seq),
  foreign key (account_id, asset) references accounts (id, asset)
);
create index ledger_entries_transaction on ledger_entries (transaction_id);
create index ledger_entries_time on ledger_entries (account_id, booked_at, seq);
-- debits are below zero: one index for the direction and for the amount
create index ledger_entries_amount on ledger_entries (account_id, amount);
-- an entry that counts on another day than it was booked is rare, and all that a history by value dates needs
-- beside the booked one
create index ledger_entries_shifted on ledger_entries (account_id, value_date) include (amount, booked_at)
  where value_date <> (booked_at at time zone 'UTC')::date;
grant select on ledger_entries to teller_app;

-- Money set aside.
create table holds (
  id uuid primary key default uuidv7(),
  account_id uuid not null references accounts,
  amount minor not null check (amount > 0),
  status text not null default 'open' check (status in ('open', 'captured', 'released')),
  source_type text not null,
  source_id uuid not null,
  created_at timestamptz(3) not null default now(),
  resolved_at timestamptz(3),
  unique (source_type, source_id),
  constraint holds_resolved check ((status = 'open') = (resolved_at is null))
);
create index holds_open on holds (account_id) where status = 'open';
grant select on holds to teller_app;
