-- The money-laundering watch: what is known of each movement, the rules that judge it, what they have hit,
-- and the flags that people review.

-- they take and return more than before
drop function if exists transfer_gate(int, boolean, text, uuid, text, boolean);
drop function if exists transfer_judge(transfers, uuid, int);

-- What a rule is besides its terms. Its newest version counts.
create table aml_rules (
  id uuid primary key,
  code text not null check (code ~ '^[a-z][a-z0-9_]{1,59}$'),
  status text not null default 'draft' check (status in ('draft', 'shadow', 'live', 'disabled')),
  version integer not null default 1 check (version > 0),
  created_at timestamptz(3) not null default bank_now(),
  updated_at timestamptz(3) not null default bank_now(),
  constraint aml_rules_code unique (code)
);
create index aml_rules_status on aml_rules (status, id);
grant select, insert (id, code, status, version), delete, update (status, version, updated_at)
  on aml_rules to teller_app;

-- What a rule says, version after version.
create table aml_rule_versions (
  rule_id uuid not null references aml_rules on delete cascade,
  version integer not null check (version > 0),
  name text not null check (char_length(name) between 1 and 100),
  description text not null default '' check (char_length(description) <= 1000),
  severity text not null check (severity in ('low', 'medium', 'high', 'critical')),
  action text not null check (action in ('flag', 'hold', 'block')),
  applies_to text[] not null check (cardinality(applies_to) > 0 and applies_to <@ array['outgoing_transfer',
    'incoming_transfer', 'card_authorisation', 'card_clearing', 'crypto_withdrawal', 'crypto_deposit']),
  condition jsonb not null check (jsonb_typeof(condition) = 'object'),
  -- a duration of ISO 8601: a hit within it joins the open flag of the last one
  cooldown text check (cooldown ~ '^P'),
  created_by uuid references users,
  created_at timestamptz(3) not null default bank_now(),
  primary key (rule_id, version)
);
grant select, insert (rule_id, version, name, description, severity, action, applies_to, condition, cooldown,
  created_by) on aml_rule_versions to teller_app;

-- Values that conditions name together, such as countries.
create table aml_value_lists (
  code text primary key check (code ~ '^[a-z][a-z0-9_]{1,59}$'),
  description text not null default '' check (char_length(description) <= 500),
  entries text[] not null default '{}' check (cardinality(entries) <= 10000),
  updated_by uuid references users,
  created_at timestamptz(3) not null default bank_now(),
  updated_at timestamptz(3) not null default bank_now()
);
grant select, insert (code, description, entries, updated_by),
  update (description, entries, updated_by, updated_at) on aml_value_lists to teller_app;

-- One movement of a customer with what was known at that moment. Rules read nothing else, so that a rule
-- finds in a test and in the past what it finds when money moves. A movement between two customers is one of
-- each.
create table aml_movements (
  customer_id uuid not null,
  -- movements of a customer are in the order of their times
  seq bigint not null check (seq > 0),
  at timestamptz(3) not null,
  kind text not null check (kind in ('outgoing_transfer', 'incoming_transfer', 'card_authorisation',
    'card_clearing', 'crypto_withdrawal', 'crypto_deposit')),
  direction text not null check (direction in ('outgoing', 'incoming')),
  subject_type text not null check (char_length(subject_type) between 1 and 40),
  subject_id uuid not null,
  account_id uuid,
  asset text not null,
  -- in whole units, as people write it
  amount numeric not null check (amount >= 0),
  -- by the rate of that moment, as exact as it is; null if there was none
  amount_base numeric,
  transfer_type text,
  -- IBAN, number of the account, or normalised address
  counterparty text,
  counterparty_country text,
  -- when the customer first dealt with it; null if this is the first time
  counterparty_first_at timestamptz(3),
  account_opened_at timestamptz(3),
  last_own_at timestamptz(3),
  contact_changed_at timestamptz(3),
  kyc_status text not null default 'none',
  customer_risk text not null default 'medium',
  -- what the customer had moved before this one: how often, how much, and how often without a rate
  out_count bigint not null,
  out_base numeric not null,
  out_unrated bigint not null,
  in_count bigint not null,
  in_base numeric not null,
  in_unrated bigint not null,
  -- when it ended without the money having gone; it counts no longer
  ended_at timestamptz(3),
  primary key (customer_id, seq),
  constraint aml_movements_once unique (subject_id, direction)
) with (fillfactor = 90);
create index aml_movements_window on aml_movements (customer_id, at, seq);
create index aml_movements_ended on aml_movements (customer_id, at) where ended_at is not null;
create index aml_movements_counterparty on aml_movements (customer_id, counterparty, seq);
grant select on aml_movements to teller_app;

-- A suspicion that somebody reviews.
create table aml_flags (
  id uuid primary key default uuidv7(),
  number bigint generated always as identity,
  kind text not null check (kind in ('rule', 'sanctions', 'manual')),
  status text not null default 'open'
    check (status in ('open', 'in_review', 'escalated', 'cleared', 'false_positive', 'confirmed')),
  severity text not null check (severity in ('low', 'medium', 'high', 'critical')),
  -- why it is there: a hit, a movement that could not be checked, or somebody's reason
  reason text not null check (reason in ('hit', 'not_checked', 'raised')),
  subject_type text not null check (subject_type in ('transfer', 'card_payment', 'crypto_withdrawal',
    'crypto_deposit', 'customer', 'account', 'kyc_application', 'kyb_application')),
  subject_id uuid not null,
  customer_id uuid,
  rule_id uuid references aml_rules,
  rule_version integer,
  -- of a screening
  match jsonb,
  explanation jsonb not null,
  held boolean not null,
  raised_by uuid references users,
  assignee_id uuid references users,
  due_at timestamptz(3),
  last_hit_at timestamptz(3) not null default bank_now(),
  -- who has decided first where a second person has to agree
  first_by uuid references users,
  first_at timestamptz(3),
  first_resolution text,
  resolved_by uuid references users,
  resolved_at timestamptz(3),
  note text check (char_length(note) between 1 and 2000),
  created_at timestamptz(3) not null default bank_now(),
  updated_at timestamptz(3) not null default bank_now(),
  constraint aml_flags_rule foreign key (rule_id, rule_version) references aml_rule_versions,
  constraint aml_flags_resolved check (
    (status in ('cleared', 'false_positive', 'confirmed')) = (resolved_at is not null))
);
create unique index aml_flags_number on aml_flags (number);
create index aml_flags_status on aml_flags (status, id);
create index aml_flags_severity on aml_flags (severity, id);
create index aml_flags_kind on aml_flags (kind, id);
create index aml_flags_rule_of on aml_flags (rule_id, id);
create index aml_flags_customer on aml_flags (customer_id, id);
create index aml_flags_assignee on aml_flags (assignee_id, id);
create index aml_flags_due on aml_flags (due_at) where resolved_at is null;
create index aml_flags_created on aml_flags (created_at, id);
-- what holds every movement of a customer or an account
create index aml_flags_open_subject on aml_flags (subject_id) where resolved_at is null;
create index aml_flags_open_rule on aml_flags (customer_id, rule_id) where resolved_at is null;
grant select on aml_flags to teller_app;

-- What a rule has found in one movement.
create table aml_hits (
  id uuid primary key default uuidv7(),
  at timestamptz(3) not null,
  rule_id uuid references aml_rules,
  rule_version integer,
  outcome text not null check (outcome in ('hit', 'not_checked', 'suppressed', 'shadow')),
  -- null if nobody reviews it
  flag_id uuid references aml_flags,
  customer_id uuid not null,
  subject_type text not null,
  subject_id uuid not null,
  held boolean not null,
  amount_base numeric,
  explanation jsonb not null
);
create index aml_hits_flag on aml_hits (flag_id, id);
create index aml_hits_subject on aml_hits (subject_id);
create index aml_hits_rule on aml_hits (rule_id, at);
grant select on aml_hits to teller_app;

-- What has happened to a flag.
create table aml_flag_events (
  id uuid primary key default uuidv7(),
  flag_id uuid not null references aml_flags,
  at timestamptz(3) not null default bank_now(),
  -- null if the service did it
  by uuid references users,
  kind text not null check (kind in ('opened', 'hit', 'assigned', 'escalated', 'commented', 'attached',
    'resolved', 'confirmed', 'second_review', 'reopened', 'checked_again', 'report')),
  before text,
  after text,
  note text check (char_length(note) between 1 and 5000)
);
create index aml_flag_events_flag on aml_flag_events (flag_id, id);
grant select on aml_flag_events to teller_app;

-- A rule that is left out for one customer until a date.
create table aml_suppressions (
  rule_id uuid not null references aml_rules,
  customer_id uuid not null,
  until timestamptz(3) not null,
  flag_id uuid not null references aml_flags,
  created_by uuid not null references users,
  created_at timestamptz(3) not null default bank_now(),
  primary key (rule_id, customer_id, flag_id)
);
grant select on aml_suppressions to teller_app;
