create table fee_rule_versions (
  rule_id uuid not null,
  version integer not null,
  previous integer generated always as (NULLIF((version - 1), 0)) stored,
  purpose text not null,
  asset text not null,
  description text not null,
  enabled boolean not null,
  transfer_type text,
  account_type_id uuid,
  priority integer not null,
  flat minor not null,
  rate_bps numeric(11,6) not null,
  minimum minor,
  maximum minor,
  tier_mode text not null,
  tiers jsonb not null default '[]'::jsonb,
  valid_from timestamp(3) with time zone not null,
  valid_to timestamp(3) with time zone,
  created_by uuid,
  created_at timestamp(3) with time zone not null default date_trunc('milliseconds'::text, now()),
  constraint fee_rule_versions_pkey PRIMARY KEY (rule_id, version),
  constraint fee_rule_versions_version_check CHECK ((version > 0)),
  constraint fee_rule_versions_description_check CHECK (((char_length(description) >= 1) AND (char_length(description) <= 140))),
  constraint fee_rule_versions_priority_check CHECK (((priority >= '-1000'::integer) AND (priority <= 1000))),
  constraint fee_rule_versions_flat_check CHECK (((flat)::numeric >= (0)::numeric)),
  constraint fee_rule_versions_rate_bps_check CHECK (((rate_bps >= (0)::numeric) AND (rate_bps <= (10000)::numeric))),
  constraint fee_rule_versions_minimum_check CHECK (((minimum)::numeric >= (0)::numeric)),
  constraint fee_rule_versions_maximum_check CHECK (((maximum)::numeric >= (0)::numeric)),
  constraint fee_rule_versions_tier_mode_check CHECK ((tier_mode = ANY (ARRAY['graduated'::text, 'slab'::text]))),
  constraint fee_rule_versions_tiers_check CHECK (((jsonb_typeof(tiers) = 'array'::text) AND (jsonb_array_length(tiers) <= 50))),
  constraint fee_rule_tiers_ascend CHECK (fee_tiers_ascend(tiers)),
  constraint fee_rule_bounds CHECK (((minimum)::numeric <= (maximum)::numeric)),
  constraint fee_rule_period CHECK ((valid_to > valid_from)),
  constraint fee_rule_ahead CHECK ((valid_from >= created_at)),
  constraint fee_rule_monthly_is_flat CHECK (((purpose <> 'monthly'::text) OR ((rate_bps = (0)::numeric) AND (tiers = '[]'::jsonb) AND (minimum IS NULL) AND (maximum IS NULL) AND (transfer_type IS NULL) AND (account_type_id IS NULL))))
);
CREATE INDEX fee_rule_versions_account_type ON public.fee_rule_versions USING btree (account_type_id) WHERE (account_type_id IS NOT NULL);
grant select on fee_rule_versions to teller_app;
grant insert (rule_id, version, purpose, asset, description, enabled, transfer_type, account_type_id, priority, flat, rate_bps, minimum, maximum, tier_mode, tiers, valid_from, valid_to, created_by) on fee_rule_versions to teller_app;

create table account_fees (
  id uuid not null,
  account_id uuid not null,
  month date not null,
  rule_id uuid not null,
  rule_version integer not null,
  asset text not null,
  amount minor not null,
  description text not null,
  status text not null default 'due'::text,
  refusal text,
  attempts integer not null default 0,
  transaction_id uuid,
  created_at timestamp(3) with time zone not null default now(),
  tried_at timestamp(3) with time zone,
  constraint account_fees_pkey PRIMARY KEY (id),
  constraint account_fees_transaction_id_key UNIQUE (transaction_id),
  constraint account_fees_account_id_month_key UNIQUE (account_id, month),
  constraint account_fees_month_check CHECK ((month = (date_trunc('month'::text, (month)::timestamp without time zone))::date)),
  constraint account_fees_amount_check CHECK (((amount)::numeric > (0)::numeric)),
  constraint account_fees_status_check CHECK ((status = ANY (ARRAY['due'::text, 'charged'::text, 'refused'::text, 'waived'::text]))),
  constraint account_fees_attempts_check CHECK ((attempts >= 0)),
  constraint account_fees_charged CHECK (((status = 'charged'::text) = (transaction_id IS NOT NULL))),
  constraint account_fees_refused CHECK (((status = 'refused'::text) <= (refusal IS NOT NULL)))
);
CREATE INDEX account_fees_newest ON public.account_fees USING btree (month, account_id);
CREATE INDEX account_fees_open ON public.account_fees USING btree (id) WHERE (status = ANY (ARRAY['due'::text, 'refused'::text]));
grant select on account_fees to teller_app;

create table account_fee_months (
  month date not null,
  began_at timestamp(3) with time zone not null default now(),
  finished_at timestamp(3) with time zone,
  constraint account_fee_months_pkey PRIMARY KEY (month),
  constraint account_fee_months_month_check CHECK ((month = (date_trunc('month'::text, (month)::timestamp without time zone))::date))
);
grant insert, select on account_fee_months to teller_app;
grant update (finished_at) on account_fee_months to teller_app;

create table fx_settings (
  only_row boolean not null default true,
  base_asset text not null,
  stale_seconds integer not null,
  constraint fx_settings_pkey PRIMARY KEY (only_row),
  constraint fx_settings_only_row_check CHECK (only_row),
  constraint fx_settings_stale_seconds_check CHECK (((stale_seconds >= 1) AND (stale_seconds <= 31536000)))
);
grant select on fx_settings to teller_app;

create table fx_rates (
  id uuid not null,
  base text not null,
  quote text not null,
  rate numeric(28,12) not null,
  spread_bps numeric(8,4) not null,
  valid_from timestamp(3) with time zone not null,
  valid_until timestamp(3) with time zone,
  source text not null,
  created_by uuid,
  created_at timestamp(3) with time zone not null default now(),
  constraint fx_rates_pkey PRIMARY KEY (id),
  constraint fx_rates_rate_check CHECK ((rate > (0)::numeric)),
  constraint fx_rates_spread_bps_check CHECK (((spread_bps >= (0)::numeric) AND (spread_bps < (5000)::numeric))),
  constraint fx_rates_source_check CHECK (((char_length(source) >= 1) AND (char_length(source) <= 80))),
  constraint fx_rates_two_currencies CHECK ((base <> quote)),
  constraint fx_rates_period CHECK ((valid_until > valid_from))
);
CREATE INDEX fx_rates_newest ON public.fx_rates USING btree (base, quote, valid_from DESC, id DESC);
grant select on fx_rates to teller_app;
grant insert (id, base, quote, rate, spread_bps, valid_from, valid_until, source, created_by) on fx_rates to teller_app;
