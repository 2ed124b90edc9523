create table account_requests (
  id uuid not null,
  user_id uuid not null,
  account_type_id uuid not null,
  nickname text,
  status text not null default 'pending'::text,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  reminded_at timestamp(3) with time zone,
  reminders integer not null default 0,
  decided_by uuid,
  decision_id uuid,
  decision_reason text,
  decided_at timestamp(3) with time zone,
  account_id uuid,
  constraint account_requests_pkey PRIMARY KEY (id),
  constraint account_requests_account_id_key UNIQUE (account_id),
  constraint account_requests_nickname_check CHECK (((char_length(nickname) >= 1) AND (char_length(nickname) <= 60))),
  constraint account_requests_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'withdrawn'::text, 'expired'::text]))),
  constraint account_requests_decision_reason_check CHECK (((char_length(decision_reason) >= 1) AND (char_length(decision_reason) <= 500))),
  constraint account_requests_ended CHECK (((status = 'pending'::text) = (decided_at IS NULL))),
  constraint account_requests_opened CHECK (((status = 'approved'::text) = (account_id IS NOT NULL))),
  constraint account_requests_decider CHECK (
CASE status
    WHEN 'pending'::text THEN (decided_by IS NULL)
    WHEN 'expired'::text THEN (decided_by IS NULL)
    WHEN 'withdrawn'::text THEN (NOT (decided_by IS DISTINCT FROM user_id))
    ELSE ((decided_by IS NOT NULL) AND (decided_by <> user_id))
END)
);
CREATE INDEX account_requests_user ON public.account_requests USING btree (user_id, id);
CREATE INDEX account_requests_pending ON public.account_requests USING btree (id) WHERE (status = 'pending'::text);
CREATE UNIQUE INDEX account_requests_once ON public.account_requests USING btree (user_id, account_type_id) WHERE (status = 'pending'::text);
CREATE INDEX account_requests_type ON public.account_requests USING btree (account_type_id);
grant insert, select on account_requests to teller_app;
grant update (status, reminded_at, reminders, decided_by, decision_id, decision_reason, decided_at, account_id) on account_requests to teller_app;

create table account_aml_flags (
  id uuid not null default uuidv7(),
  account_id uuid not null,
  raised_by uuid,
  reason text not null,
  frozen boolean not null default false,
  frozen_by uuid,
  status_before text,
  raised_at timestamp(3) with time zone not null default now(),
  cleared_by uuid,
  clear_reason text,
  cleared_at timestamp(3) with time zone,
  constraint account_aml_flags_pkey PRIMARY KEY (id),
  constraint account_aml_flags_reason_check CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 500))),
  constraint account_aml_flags_status_before_check CHECK ((status_before = ANY (ARRAY['open'::text, 'blocked'::text]))),
  constraint account_aml_flags_clear_reason_check CHECK (((char_length(clear_reason) >= 1) AND (char_length(clear_reason) <= 500))),
  constraint account_aml_flags_cleared CHECK ((((cleared_at IS NULL) = (cleared_by IS NULL)) AND ((cleared_at IS NULL) = (clear_reason IS NULL)))),
  constraint account_aml_flags_frozen CHECK ((frozen = (status_before IS NOT NULL))),
  constraint account_aml_flags_four_eyes CHECK (((cleared_by <> raised_by) AND (cleared_by <> frozen_by)))
);
CREATE UNIQUE INDEX account_aml_flags_open ON public.account_aml_flags USING btree (account_id) WHERE (cleared_at IS NULL);
CREATE INDEX account_aml_flags_account ON public.account_aml_flags USING btree (account_id, id);
grant select on account_aml_flags to teller_app;
