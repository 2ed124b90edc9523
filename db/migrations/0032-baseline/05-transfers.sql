create table transfer_types (
  code text not null,
  name text not null,
  enabled boolean not null default true,
  approval_seconds integer not null default 604800,
  updated_at timestamp(3) with time zone not null default now(),
  reach text not null default 'internal'::text,
  cut_off time without time zone,
  cut_off_zone text not null default 'Europe/Berlin'::text,
  business_days_only boolean not null default false,
  constraint transfer_types_pkey PRIMARY KEY (code),
  constraint transfer_types_code_check CHECK ((code ~ '^[a-z][a-z0-9_]{1,39}$'::text)),
  constraint transfer_types_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 80))),
  constraint transfer_types_approval_seconds_check CHECK (((approval_seconds >= 1) AND (approval_seconds <= 31536000))),
  constraint transfer_types_reach_check CHECK ((reach = ANY (ARRAY['own'::text, 'internal'::text, 'sepa'::text, 'international'::text]))),
  constraint transfer_types_zone CHECK (((now() AT TIME ZONE cut_off_zone) IS NOT NULL))
);
grant select on transfer_types to teller_app;
grant update (name, enabled, approval_seconds, updated_at, cut_off, cut_off_zone, business_days_only) on transfer_types to teller_app;

create table transfer_type_currencies (
  type_code text not null,
  asset text not null,
  approval_above minor not null,
  constraint transfer_type_currencies_pkey PRIMARY KEY (type_code, asset),
  constraint transfer_type_currencies_approval_above_check CHECK (((approval_above)::numeric >= (0)::numeric))
);
grant insert, select, update, delete on transfer_type_currencies to teller_app;

create table bank_holidays (
  calendar text not null,
  day date not null,
  constraint bank_holidays_pkey PRIMARY KEY (calendar, day)
);
grant select on bank_holidays to teller_app;

create table beneficiaries (
  id uuid not null default uuidv7(),
  user_id uuid not null,
  name text not null,
  iban text,
  account text,
  bic text,
  country character(2) not null,
  fingerprint text not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint beneficiaries_pkey PRIMARY KEY (id),
  constraint beneficiaries_user_id_fingerprint_key UNIQUE (user_id, fingerprint),
  constraint beneficiaries_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 140))),
  constraint beneficiaries_iban_check CHECK ((iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$'::text)),
  constraint beneficiaries_account_check CHECK ((account ~ '^[A-Za-z0-9]{1,34}$'::text)),
  constraint beneficiaries_bic_check CHECK ((bic ~ '^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$'::text)),
  constraint beneficiaries_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
  constraint beneficiaries_reachable CHECK (((iban IS NULL) <> (account IS NULL)))
);
grant insert, select on beneficiaries to teller_app;

create table transfer_quotes (
  id uuid not null,
  requested_by uuid not null,
  type_code text not null,
  source_account_id uuid not null,
  destination_account_id uuid,
  asset text not null,
  amount minor not null,
  requires_approval boolean not null,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  transfer_id uuid,
  target_asset text not null,
  target_amount minor not null,
  fee_total minor not null default 0,
  price jsonb,
  beneficiary_id uuid,
  constraint transfer_quotes_pkey PRIMARY KEY (id),
  constraint transfer_quotes_transfer_id_key UNIQUE (transfer_id),
  constraint transfer_quotes_amount_check CHECK (((amount)::numeric > (0)::numeric)),
  constraint transfer_quotes_target_amount_check CHECK (((target_amount)::numeric > (0)::numeric)),
  constraint transfer_quotes_fee_total_check CHECK (((fee_total)::numeric >= (0)::numeric)),
  constraint transfer_quotes_destination CHECK (((destination_account_id IS NULL) = (beneficiary_id IS NOT NULL)))
);
CREATE INDEX transfer_quotes_unused ON public.transfer_quotes USING btree (expires_at) WHERE (transfer_id IS NULL);
grant insert, select, delete on transfer_quotes to teller_app;

create table transfers (
  id uuid not null,
  kind text not null,
  type_code text,
  status text not null,
  requested_by uuid not null,
  customer_id uuid not null,
  source_account_id uuid not null,
  destination_account_id uuid not null,
  asset text not null,
  amount minor not null,
  description text not null default ''::text,
  reason text,
  quote_id uuid,
  requires_approval boolean not null,
  hold_id uuid,
  transaction_id uuid,
  failure_code text,
  decided_by uuid,
  decision_reason text,
  created_at timestamp(3) with time zone not null default now(),
  approve_until timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  decision_id uuid,
  target_asset text not null,
  target_amount minor not null,
  fee_total minor not null default 0,
  price jsonb,
  legs jsonb,
  beneficiary_id uuid,
  due_at timestamp(3) with time zone,
  submitted_at timestamp(3) with time zone,
  return_code text,
  return_transaction_id uuid,
  reverses_id uuid,
  value_date date,
  limit_day date,
  approved_by uuid,
  approved_at timestamp(3) with time zone,
  constraint transfers_pkey PRIMARY KEY (id),
  constraint transfers_quote_id_key UNIQUE (quote_id),
  constraint transfers_hold_id_key UNIQUE (hold_id),
  constraint transfers_transaction_id_key UNIQUE (transaction_id),
  constraint transfers_return_transaction_id_key UNIQUE (return_transaction_id),
  constraint transfers_amount_check CHECK (((amount)::numeric > (0)::numeric)),
  constraint transfers_description_check CHECK ((char_length(description) <= 140)),
  constraint transfers_reason_check CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 500))),
  constraint transfers_decision_reason_check CHECK ((char_length(decision_reason) <= 500)),
  constraint transfers_two_accounts CHECK ((source_account_id <> destination_account_id)),
  constraint transfers_pending_awaits CHECK (((status <> 'pending_approval'::text) OR (requires_approval AND (approve_until IS NOT NULL)))),
  constraint transfers_failed_says_why CHECK (((status = 'failed'::text) = (failure_code IS NOT NULL))),
  constraint transfers_target_amount_check CHECK (((target_amount)::numeric > (0)::numeric)),
  constraint transfers_fee_total_check CHECK (((fee_total)::numeric >= (0)::numeric)),
  constraint transfers_return_code_check CHECK ((char_length(return_code) <= 35)),
  constraint transfers_kind_check CHECK ((kind = ANY (ARRAY['transfer'::text, 'adjustment'::text, 'reversal'::text]))),
  constraint transfers_status_check CHECK ((status = ANY (ARRAY['pending_approval'::text, 'aml_review'::text, 'queued'::text, 'submitted'::text, 'executed'::text, 'returned'::text, 'rejected'::text, 'cancelled'::text, 'expired'::text, 'failed'::text]))),
  constraint transfers_kind_fits CHECK ((((kind = 'transfer'::text) = (type_code IS NOT NULL)) AND ((kind <> 'transfer'::text) = (reason IS NOT NULL)) AND ((kind = 'reversal'::text) = (reverses_id IS NOT NULL)))),
  constraint transfers_same_asset CHECK (((asset <> target_asset) OR ((amount)::numeric = (target_amount)::numeric) OR (kind = 'reversal'::text))),
  constraint transfers_booked CHECK (
CASE
    WHEN (status = ANY (ARRAY['submitted'::text, 'executed'::text, 'returned'::text])) THEN (transaction_id IS NOT NULL)
    WHEN (status = 'failed'::text) THEN ((transaction_id IS NULL) = (return_transaction_id IS NULL))
    ELSE (transaction_id IS NULL)
END),
  constraint transfers_returned CHECK (((return_transaction_id IS NOT NULL) = ((status = 'returned'::text) OR ((status = 'failed'::text) AND (transaction_id IS NOT NULL))))),
  constraint transfers_finished CHECK (((status = ANY (ARRAY['pending_approval'::text, 'aml_review'::text, 'queued'::text, 'submitted'::text])) = (finished_at IS NULL))),
  constraint transfers_held CHECK (((status <> ALL (ARRAY['pending_approval'::text, 'aml_review'::text, 'queued'::text])) OR (kind <> 'transfer'::text) OR (hold_id IS NOT NULL))),
  constraint transfers_queued CHECK (((status <> 'queued'::text) OR (due_at IS NOT NULL))),
  constraint transfers_four_eyes CHECK (((NOT requires_approval) OR (status = ANY (ARRAY['pending_approval'::text, 'rejected'::text, 'cancelled'::text, 'expired'::text])) OR ((approved_by IS NOT NULL) AND (approved_by <> requested_by) AND (approved_by <> customer_id))))
);
CREATE INDEX transfers_customer ON public.transfers USING btree (customer_id, id);
CREATE INDEX transfers_source ON public.transfers USING btree (source_account_id, id);
CREATE INDEX transfers_destination ON public.transfers USING btree (destination_account_id, id);
CREATE INDEX transfers_pending ON public.transfers USING btree (id) WHERE (status = ANY (ARRAY['pending_approval'::text, 'aml_review'::text, 'queued'::text, 'submitted'::text]));
CREATE INDEX transfers_waiting ON public.transfers USING btree (source_account_id) WHERE (status = ANY (ARRAY['pending_approval'::text, 'aml_review'::text, 'queued'::text]));
CREATE INDEX transfers_beneficiary ON public.transfers USING btree (customer_id, beneficiary_id, id) WHERE (beneficiary_id IS NOT NULL);
CREATE UNIQUE INDEX transfers_reversed_once ON public.transfers USING btree (reverses_id) WHERE (status = ANY (ARRAY['pending_approval'::text, 'aml_review'::text, 'executed'::text]));
CREATE INDEX transfers_recipients ON public.transfers USING btree (customer_id, COALESCE(beneficiary_id, destination_account_id), id) WHERE ((kind = 'transfer'::text) AND (status <> ALL (ARRAY['rejected'::text, 'cancelled'::text, 'expired'::text, 'failed'::text])));
CREATE INDEX transfers_status ON public.transfers USING btree (kind, status, type_code);
grant select on transfers to teller_app;

create table transfer_moves (
  from_status text not null,
  to_status text not null,
  constraint transfer_moves_pkey PRIMARY KEY (from_status, to_status)
);
grant select on transfer_moves to teller_app;

create table transfer_limits (
  type_code text not null,
  asset text not null,
  kyc_level smallint not null,
  subject text not null,
  single minor,
  day minor,
  month minor,
  constraint transfer_limits_pkey PRIMARY KEY (type_code, asset, subject, kyc_level),
  constraint transfer_limits_kyc_level_check CHECK (((kyc_level >= 0) AND (kyc_level <= 9))),
  constraint transfer_limits_subject_check CHECK ((subject = ANY (ARRAY['user'::text, 'account'::text, 'recipient'::text]))),
  constraint transfer_limits_single_check CHECK (((single)::numeric >= (0)::numeric)),
  constraint transfer_limits_day_check CHECK (((day)::numeric >= (0)::numeric)),
  constraint transfer_limits_month_check CHECK (((month)::numeric >= (0)::numeric))
);
grant insert, select, update, delete on transfer_limits to teller_app;

create table limit_usage (
  customer_id uuid not null,
  subject text not null,
  subject_id uuid not null,
  type_code text not null,
  asset text not null,
  day date not null,
  day_used minor not null,
  month_used minor not null,
  constraint limit_usage_pkey PRIMARY KEY (customer_id, subject, subject_id, type_code, asset),
  constraint limit_usage_day_used_check CHECK (((day_used)::numeric >= (0)::numeric)),
  constraint limit_usage_month_used_check CHECK (((month_used)::numeric >= (0)::numeric))
) with (fillfactor=70);
grant select on limit_usage to teller_app;

create table scheduled_transfers (
  id uuid not null,
  user_id uuid not null,
  type_code text,
  source_account_id uuid not null,
  destination_account_id uuid,
  beneficiary_id uuid,
  fixed_side text not null,
  amount minor not null,
  asset text not null,
  target_asset text not null,
  description text not null default ''::text,
  starts_on date not null,
  repeat_unit text,
  repeat_every smallint not null default 1,
  ends_on date,
  runs integer not null default 0,
  next_on date,
  status text not null default 'active'::text,
  created_at timestamp(3) with time zone not null default now(),
  ended_at timestamp(3) with time zone,
  constraint scheduled_transfers_pkey PRIMARY KEY (id),
  constraint scheduled_transfers_fixed_side_check CHECK ((fixed_side = ANY (ARRAY['source'::text, 'target'::text]))),
  constraint scheduled_transfers_amount_check CHECK (((amount)::numeric > (0)::numeric)),
  constraint scheduled_transfers_description_check CHECK ((char_length(description) <= 140)),
  constraint scheduled_transfers_repeat_unit_check CHECK ((repeat_unit = ANY (ARRAY['day'::text, 'week'::text, 'month'::text]))),
  constraint scheduled_transfers_repeat_every_check CHECK (((repeat_every >= 1) AND (repeat_every <= 99))),
  constraint scheduled_transfers_check CHECK ((ends_on >= starts_on)),
  constraint scheduled_transfers_status_check CHECK ((status = ANY (ARRAY['active'::text, 'completed'::text, 'cancelled'::text]))),
  constraint scheduled_transfers_one_payee CHECK (((destination_account_id IS NULL) <> (beneficiary_id IS NULL))),
  constraint scheduled_transfers_next CHECK (((status = 'active'::text) = (next_on IS NOT NULL))),
  constraint scheduled_transfers_ended CHECK (((status = 'active'::text) = (ended_at IS NULL)))
);
CREATE INDEX scheduled_transfers_user ON public.scheduled_transfers USING btree (user_id, id);
CREATE INDEX scheduled_transfers_due ON public.scheduled_transfers USING btree (next_on, id) WHERE (status = 'active'::text);
grant insert, select on scheduled_transfers to teller_app;
grant update (runs, next_on, status, ended_at) on scheduled_transfers to teller_app;

create table scheduled_transfer_runs (
  transfer_id uuid not null,
  scheduled_transfer_id uuid not null,
  due_on date not null,
  refusal text,
  created_at timestamp(3) with time zone not null default now(),
  constraint scheduled_transfer_runs_pkey PRIMARY KEY (transfer_id),
  constraint scheduled_transfer_runs_scheduled_transfer_id_due_on_key UNIQUE (scheduled_transfer_id, due_on)
);
grant insert, select on scheduled_transfer_runs to teller_app;
grant update (refusal) on scheduled_transfer_runs to teller_app;
