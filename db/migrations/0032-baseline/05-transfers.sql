-- Transfers: one table of orders, moved through their states by functions that post and hold in the same
-- transaction.

create table transfer_types (
  code text primary key check (code ~ '^[a-z][a-z0-9_]{1,39}$'),
  name text not null check (char_length(name) between 1 and 80),
  enabled boolean not null default true,
  -- how long a transfer waits for its approval before it expires
  approval_seconds integer not null default 604800 check (approval_seconds between 1 and 31536000),
  updated_at timestamptz(3) not null default now(),
  -- whom it can reach: several types may share a reach
  reach text not null default 'internal' check (reach in ('own', 'internal', 'sepa', 'international')),
  -- after it, a payment out of the bank waits for the next day; null: no such time
  cut_off time,
  cut_off_zone text not null default 'Europe/Berlin',
  business_days_only boolean not null default false,
  constraint transfer_types_zone check (now() at time zone cut_off_zone is not null)
);
grant select on transfer_types to teller_app;
grant update (name, enabled, approval_seconds, updated_at, cut_off, cut_off_zone, business_days_only)
  on transfer_types to teller_app;

-- A currency without a row here is not offered: nothing moves unexamined because a threshold was forgotten.
create table transfer_type_currencies (
  type_code text not null references transfer_types,
  asset text not null references assets,
  -- an amount above it waits for an administrator; the amount itself passes
  approval_above minor not null check (approval_above >= 0),
  primary key (type_code, asset)
);
grant select, insert, update, delete on transfer_type_currencies to teller_app;

create table bank_holidays (
  calendar text not null,
  day date not null,
  primary key (calendar, day)
);
grant select on bank_holidays to teller_app;

-- Payees outside the bank.
create table beneficiaries (
  id uuid primary key default uuidv7(),
  user_id uuid not null references users,
  name text not null check (char_length(name) between 1 and 140),
  iban text check (iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$'),
  account text check (account ~ '^[A-Za-z0-9]{1,34}$'),
  bic text check (bic ~ '^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$'),
  country char(2) not null check (country ~ '^[A-Z]{2}$'),
  -- of all of the above: the same payee is one row
  fingerprint text not null,
  created_at timestamptz(3) not null default now(),
  unique (user_id, fingerprint),
  constraint beneficiaries_reachable check ((iban is null) <> (account is null))
);
grant select, insert on beneficiaries to teller_app;

create table transfer_quotes (
  id uuid primary key,
  requested_by uuid not null references users,
  type_code text not null references transfer_types,
  source_account_id uuid not null references accounts,
  destination_account_id uuid references accounts,
  asset text not null references assets,
  amount minor not null check (amount > 0),
  requires_approval boolean not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  -- the transfer that has used it
  transfer_id uuid unique,
  target_asset text not null references assets,
  target_amount minor not null check (target_amount > 0),
  fee_total minor not null default 0 check (fee_total >= 0),
  price jsonb,
  beneficiary_id uuid references beneficiaries,
  constraint transfer_quotes_destination
    check ((destination_account_id is null) = (beneficiary_id is not null))
);
create index transfer_quotes_unused on transfer_quotes (expires_at) where transfer_id is null;
grant select, insert, delete on transfer_quotes to teller_app;

create table transfers (
  id uuid primary key,
  kind text not null check (kind in ('transfer', 'adjustment', 'reversal')),
  type_code text references transfer_types,
  status text not null check (status in ('pending_approval', 'aml_review', 'queued', 'submitted', 'executed',
    'returned', 'rejected', 'cancelled', 'expired', 'failed')),
  requested_by uuid not null references users,
  -- the customer whose process it is: the payer of a transfer, the owner of an adjusted account
  customer_id uuid not null references users,
  source_account_id uuid not null references accounts,
  destination_account_id uuid not null references accounts,
  asset text not null references assets,
  amount minor not null check (amount > 0),
  description text not null default '' check (char_length(description) <= 140),
  reason text check (char_length(reason) between 1 and 500),
  quote_id uuid unique references transfer_quotes,
  requires_approval boolean not null,
  hold_id uuid unique references holds,
  transaction_id uuid unique references ledger_transactions,
  failure_code text,
  decided_by uuid references users,
  decision_reason text check (char_length(decision_reason) <= 500),
  created_at timestamptz(3) not null default now(),
  approve_until timestamptz(3),
  finished_at timestamptz(3),
  -- id reserved for the request that decided, so that its repeat is told apart from somebody's second thought
  decision_id uuid,
  target_asset text not null references assets,
  target_amount minor not null check (target_amount > 0),
  fee_total minor not null default 0 check (fee_total >= 0),
  -- how fees and exchange came about
  price jsonb,
  -- what is booked, if that is more than source to destination: [{ at | account, asset, amount, part }]
  legs jsonb,
  beneficiary_id uuid references beneficiaries,
  due_at timestamptz(3),
  submitted_at timestamptz(3),
  return_code text check (char_length(return_code) <= 35),
  return_transaction_id uuid unique references ledger_transactions,
  reverses_id uuid references transfers,
  value_date date,
  limit_day date,
  approved_by uuid references users,
  approved_at timestamptz(3),
  foreign key (source_account_id, asset) references accounts (id, asset),
  constraint transfers_destination_asset
    foreign key (destination_account_id, target_asset) references accounts (id, asset),
  constraint transfers_two_accounts check (source_account_id <> destination_account_id),
  constraint transfers_kind_fits check ((kind = 'transfer') = (type_code is not null)
    and (kind <> 'transfer') = (reason is not null) and (kind = 'reversal') = (reverses_id is not null)),
  -- what is taken back with its fees is more than what had arrived
  constraint transfers_same_asset
    check (asset <> target_asset or amount = target_amount or kind = 'reversal'),
  constraint transfers_booked check (case
    when status in ('submitted', 'executed', 'returned') then transaction_id is not null
    when status = 'failed' then (transaction_id is null) = (return_transaction_id is null)
    else transaction_id is null end),
  constraint transfers_returned check ((return_transaction_id is not null)
    = (status = 'returned' or (status = 'failed' and transaction_id is not null))),
  constraint transfers_finished check
    ((status in ('pending_approval', 'aml_review', 'queued', 'submitted')) = (finished_at is null)),
  constraint transfers_pending_awaits check
    (status <> 'pending_approval' or (requires_approval and approve_until is not null)),
  constraint transfers_held check
    (status not in ('pending_approval', 'aml_review', 'queued') or kind <> 'transfer' or hold_id is not null),
  constraint transfers_queued check (status <> 'queued' or due_at is not null),
  constraint transfers_failed_says_why check ((status = 'failed') = (failure_code is not null)),
  -- four eyes, whatever program writes
  constraint transfers_four_eyes check
    (not requires_approval or status in ('pending_approval', 'rejected', 'cancelled', 'expired')
     or (approved_by is not null and approved_by <> requested_by and approved_by <> customer_id))
);
create index transfers_customer on transfers (customer_id, id);
create index transfers_source on transfers (source_account_id, id);
create index transfers_destination on transfers (destination_account_id, id);
create index transfers_pending on transfers (id)
  where status in ('pending_approval', 'aml_review', 'queued', 'submitted');
create index transfers_waiting on transfers (source_account_id)
  where status in ('pending_approval', 'aml_review', 'queued');
create index transfers_beneficiary on transfers (customer_id, beneficiary_id, id)
  where beneficiary_id is not null;
-- taken back at most once
create unique index transfers_reversed_once on transfers (reverses_id)
  where status in ('pending_approval', 'aml_review', 'executed');
-- whom a customer pays, without reading every payment
create index transfers_recipients
  on transfers (customer_id, (coalesce(beneficiary_id, destination_account_id)), id)
  where kind = 'transfer' and status not in ('rejected', 'cancelled', 'expired', 'failed');
create index transfers_status on transfers (kind, status, type_code);
grant select on transfers to teller_app;

-- The moves that domain/transfers.ts knows; a test compares the two.
create table transfer_moves (
  from_status text not null,
  to_status text not null,
  primary key (from_status, to_status)
);
grant select on transfer_moves to teller_app;

-- In minor units; null is no limit. The row with the highest level that the customer has reached counts.
create table transfer_limits (
  type_code text not null references transfer_types,
  asset text not null references assets,
  kyc_level smallint not null check (kyc_level between 0 and 9),
  subject text not null check (subject in ('user', 'account', 'recipient')),
  single minor check (single >= 0),
  day minor check (day >= 0),
  month minor check (month >= 0),
  primary key (type_code, asset, subject, kyc_level)
);
grant select, insert, update, delete on transfer_limits to teller_app;

-- What is used up of a limit: taken when a transfer opens, given back if it ends without the money having
-- gone.
create table limit_usage (
  customer_id uuid not null references users,
  subject text not null,
  subject_id uuid not null,
  type_code text not null,
  asset text not null,
  day date not null,
  day_used minor not null check (day_used >= 0),
  month_used minor not null check (month_used >= 0),
  primary key (customer_id, subject, subject_id, type_code, asset)
) with (fillfactor = 70);
grant select on limit_usage to teller_app;

-- Transfers for later.
create table scheduled_transfers (
  id uuid primary key,
  user_id uuid not null references users,
  type_code text references transfer_types,
  source_account_id uuid not null references accounts,
  destination_account_id uuid references accounts,
  beneficiary_id uuid references beneficiaries,
  -- which side is fixed; the other one is priced on the day
  fixed_side text not null check (fixed_side in ('source', 'target')),
  amount minor not null check (amount > 0),
  asset text not null references assets,
  target_asset text not null references assets,
  description text not null default '' check (char_length(description) <= 140),
  starts_on date not null,
  -- null: once
  repeat_unit text check (repeat_unit in ('day', 'week', 'month')),
  repeat_every smallint not null default 1 check (repeat_every between 1 and 99),
  ends_on date check (ends_on >= starts_on),
  runs integer not null default 0,
  next_on date,
  status text not null default 'active' check (status in ('active', 'completed', 'cancelled')),
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  constraint scheduled_transfers_one_payee
    check ((destination_account_id is null) <> (beneficiary_id is null)),
  constraint scheduled_transfers_next check ((status = 'active') = (next_on is not null)),
  constraint scheduled_transfers_ended check ((status = 'active') = (ended_at is null))
);
create index scheduled_transfers_user on scheduled_transfers (user_id, id);
create index scheduled_transfers_due on scheduled_transfers (next_on, id) where status = 'active';
grant select, insert on scheduled_transfers to teller_app;
grant update (runs, next_on, status, ended_at) on scheduled_transfers to teller_app;

-- A day that has come is written in the statement that moves to the next one, so none is done twice or left
-- out.
create table scheduled_transfer_runs (
  transfer_id uuid primary key,
  scheduled_transfer_id uuid not null references scheduled_transfers,
  due_on date not null,
  -- why it moved nothing
  refusal text,
  created_at timestamptz(3) not null default now(),
  unique (scheduled_transfer_id, due_on)
);
grant select, insert on scheduled_transfer_runs to teller_app;
grant update (refusal) on scheduled_transfer_runs to teller_app;
