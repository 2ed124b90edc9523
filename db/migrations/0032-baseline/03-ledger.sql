create table assets (
  code text not null,
  scale smallint not null,
  kind text not null,
  constraint assets_pkey PRIMARY KEY (code),
  constraint assets_code_check CHECK ((code ~ '^[A-Z0-9]{2,10}$'::text)),
  constraint assets_scale_check CHECK (((scale >= 0) AND (scale <= 18))),
  constraint assets_kind_check CHECK ((kind = ANY (ARRAY['fiat'::text, 'crypto'::text])))
);
grant select on assets to teller_app;

create table fee_rules (
  id uuid not null,
  code text not null,
  purpose text not null,
  asset text not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint fee_rules_pkey PRIMARY KEY (id),
  constraint fee_rules_id_purpose_asset_key UNIQUE (id, purpose, asset),
  constraint fee_rules_code_check CHECK ((code ~ '^[a-z][a-z0-9_]{1,39}$'::text)),
  constraint fee_rules_purpose_check CHECK ((purpose = ANY (ARRAY['transfer'::text, 'monthly'::text])))
);
CREATE INDEX fee_rules_for ON public.fee_rules USING btree (asset, purpose);
grant insert, select on fee_rules to teller_app;

create table account_types (
  id uuid not null default uuidv7(),
  code text not null,
  name text not null,
  asset text not null,
  openable_by text not null,
  overdraft_limit minor not null default 0,
  max_balance minor,
  enabled boolean not null default true,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  min_balance minor not null default 0,
  kyc_level_required smallint not null default 0,
  monthly_fee_rule_id uuid,
  monthly_fee_purpose text not null generated always as ('monthly'::text) stored,
  constraint account_types_pkey PRIMARY KEY (id),
  constraint account_types_code_key UNIQUE (code),
  constraint account_types_asset UNIQUE (id, asset),
  constraint account_types_code_check CHECK ((code ~ '^[a-z][a-z0-9_]{1,39}$'::text)),
  constraint account_types_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 80))),
  constraint account_types_openable_by_check CHECK ((openable_by = ANY (ARRAY['customer'::text, 'request'::text]))),
  constraint account_types_overdraft_limit_check CHECK (((overdraft_limit)::numeric >= (0)::numeric)),
  constraint account_types_max_balance_check CHECK (((max_balance)::numeric > (0)::numeric)),
  constraint account_types_min_balance_check CHECK (((min_balance)::numeric >= (0)::numeric)),
  constraint account_types_kyc_level_required_check CHECK (((kyc_level_required >= 0) AND (kyc_level_required <= 2))),
  constraint account_types_limits_fit CHECK (((((min_balance)::numeric = (0)::numeric) OR ((overdraft_limit)::numeric = (0)::numeric)) AND ((max_balance)::numeric > (min_balance)::numeric)))
);
grant insert, select, delete on account_types to teller_app;
grant update (name, openable_by, overdraft_limit, max_balance, enabled, updated_at, min_balance, kyc_level_required, monthly_fee_rule_id) on account_types to teller_app;

create sequence account_numbers start 1000000001;
create table accounts (
  id uuid not null default uuidv7(),
  kind text not null,
  owner_id uuid,
  account_type_id uuid,
  role text,
  shard smallint,
  number text,
  nickname text,
  asset text not null,
  status text not null default 'open'::text,
  posted minor not null default 0,
  held minor not null default 0,
  overdraft_limit minor not null default 0,
  max_balance minor,
  entry_seq bigint not null default 0,
  last_entry_at timestamp(3) with time zone not null default '-infinity'::timestamp with time zone,
  opened_at timestamp(3) with time zone not null default now(),
  closed_at timestamp(3) with time zone,
  iban text,
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_number_key UNIQUE (number),
  constraint accounts_id_asset_key UNIQUE (id, asset),
  constraint accounts_role_asset_shard_key UNIQUE (role, asset, shard),
  constraint accounts_iban_key UNIQUE (iban),
  constraint accounts_kind_check CHECK ((kind = ANY (ARRAY['customer'::text, 'house'::text]))),
  constraint accounts_nickname_check CHECK (((char_length(nickname) >= 1) AND (char_length(nickname) <= 60))),
  constraint accounts_status_check CHECK ((status = ANY (ARRAY['open'::text, 'blocked'::text, 'frozen'::text, 'closed'::text]))),
  constraint accounts_held_check CHECK (((held)::numeric >= (0)::numeric)),
  constraint accounts_max_balance_check CHECK (((max_balance)::numeric > (0)::numeric)),
  constraint accounts_kind_fits CHECK (
CASE kind
    WHEN 'customer'::text THEN ((owner_id IS NOT NULL) AND (account_type_id IS NOT NULL) AND (number IS NOT NULL) AND (role IS NULL) AND (shard IS NULL))
    ELSE ((owner_id IS NULL) AND (account_type_id IS NULL) AND (number IS NULL) AND (role IS NOT NULL) AND (shard IS NOT NULL))
END),
  constraint accounts_closed_empty CHECK (((status <> 'closed'::text) OR (((posted)::numeric = (0)::numeric) AND ((held)::numeric = (0)::numeric) AND (closed_at IS NOT NULL)))),
  constraint accounts_never_overdrawn CHECK (((kind = 'house'::text) OR (((posted)::numeric - (held)::numeric) >= (- GREATEST((overdraft_limit)::numeric, (0)::numeric))))),
  constraint accounts_role_check CHECK ((role = ANY (ARRAY['adjustments'::text, 'clearing'::text, 'fees'::text, 'fx_position'::text, 'fx_spread'::text, 'nostro'::text, 'suspense'::text])))
) with (fillfactor=50);
CREATE INDEX accounts_owner ON public.accounts USING btree (owner_id, id) WHERE (owner_id IS NOT NULL);
CREATE INDEX accounts_without_iban ON public.accounts USING btree (id) WHERE ((kind = 'customer'::text) AND (iban IS NULL));
CREATE INDEX accounts_status ON public.accounts USING btree (status, id) WHERE (kind = 'customer'::text);
CREATE INDEX accounts_type ON public.accounts USING btree (account_type_id, id) WHERE (kind = 'customer'::text);
CREATE INDEX accounts_asset ON public.accounts USING btree (asset, id) WHERE (kind = 'customer'::text);
CREATE INDEX accounts_house ON public.accounts USING btree (role, asset) WHERE (kind = 'house'::text);
grant select on accounts to teller_app;
grant update (nickname) on accounts to teller_app;

create table ledger_transactions (
  id uuid not null,
  kind text not null,
  source_type text not null,
  source_id uuid not null,
  booked_at timestamp(3) with time zone not null,
  value_date date not null,
  description text not null default ''::text,
  metadata jsonb not null default '{}'::jsonb,
  reverses uuid,
  position bigint not null generated always as identity,
  constraint ledger_transactions_pkey PRIMARY KEY (id),
  constraint ledger_transactions_reverses_key UNIQUE (reverses),
  constraint ledger_transactions_source_type_source_id_kind_key UNIQUE (source_type, source_id, kind),
  constraint ledger_transactions_kind_check CHECK ((kind ~ '^[a-z_]{1,40}$'::text)),
  constraint ledger_transactions_description_check CHECK ((char_length(description) <= 140))
);
CREATE UNIQUE INDEX ledger_transactions_position ON public.ledger_transactions USING btree ("position");
grant select on ledger_transactions to teller_app;
grant select on sequence ledger_transactions_position_seq to teller_app;

create table ledger_entries (
  account_id uuid not null,
  seq bigint not null,
  transaction_id uuid not null,
  asset text not null,
  amount minor not null,
  balance_after minor not null,
  booked_at timestamp(3) with time zone not null,
  value_date date not null,
  part text not null default 'principal'::text,
  constraint ledger_entries_pkey PRIMARY KEY (account_id, seq),
  constraint ledger_entries_seq_check CHECK ((seq > 0)),
  constraint ledger_entries_amount_check CHECK (((amount)::numeric <> (0)::numeric)),
  constraint ledger_entries_part CHECK ((part = ANY (ARRAY['principal'::text, 'fee'::text, 'fx'::text, 'spread'::text])))
);
CREATE INDEX ledger_entries_transaction ON public.ledger_entries USING btree (transaction_id);
CREATE INDEX ledger_entries_time ON public.ledger_entries USING btree (account_id, booked_at, seq);
CREATE INDEX ledger_entries_amount ON public.ledger_entries USING btree (account_id, amount);
CREATE INDEX ledger_entries_shifted ON public.ledger_entries USING btree (account_id, value_date) INCLUDE (amount, booked_at) WHERE (value_date <> ((booked_at AT TIME ZONE 'UTC'::text))::date);
grant select on ledger_entries to teller_app;

create table holds (
  id uuid not null default uuidv7(),
  account_id uuid not null,
  amount minor not null,
  status text not null default 'open'::text,
  source_type text not null,
  source_id uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  resolved_at timestamp(3) with time zone,
  constraint holds_pkey PRIMARY KEY (id),
  constraint holds_source_type_source_id_key UNIQUE (source_type, source_id),
  constraint holds_amount_check CHECK (((amount)::numeric > (0)::numeric)),
  constraint holds_status_check CHECK ((status = ANY (ARRAY['open'::text, 'captured'::text, 'released'::text]))),
  constraint holds_resolved CHECK (((status = 'open'::text) = (resolved_at IS NULL)))
);
CREATE INDEX holds_open ON public.holds USING btree (account_id) WHERE (status = 'open'::text);
grant select on holds to teller_app;
