grant usage on schema public to teller_app;
create extension pg_trgm;
create extension unaccent;
create extension btree_gin;
create extension fuzzystrmatch;
create domain minor as numeric constraint minor_check CHECK (((VALUE = trunc(VALUE)) AND (abs(VALUE) < '100000000000000000000000000000000000000'::numeric)));

-- used by a generated column of users
CREATE OR REPLACE FUNCTION public.search_form(given text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
 SET search_path TO 'public', 'pg_temp'
AS $function$
    select regexp_replace(normalize(casefold(unaccent('public.unaccent'::regdictionary, normalize(given, nfkc)) collate pg_unicode_fast), nfkd),
      '[' || chr(768) || '-' || chr(879) || ']', '', 'g')
  $function$
;

-- used by a constraint of fee_rule_versions
CREATE OR REPLACE FUNCTION public.fee_tiers_ascend(tiers jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
    select coalesce(bool_and(coalesce((t->>'above')::minor > before and (t->>'flat')::minor >= 0
                                      and (t->>'rate_bps')::numeric between 0 and 10000, false)), true)
      from (select t, coalesce(lag((t->>'above')::numeric) over (order by n), 0) as before
              from jsonb_array_elements(tiers) with ordinality x(t, n)) tier
  $function$
;

create table idempotency_keys (
  caller text not null,
  operation text not null,
  key text not null,
  resource_id uuid not null,
  request_hmac bytea not null,
  refusal jsonb,
  status smallint,
  answer text,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone,
  constraint idempotency_keys_pkey PRIMARY KEY (caller, operation, key),
  constraint idempotency_keys_resource_id_key UNIQUE (resource_id),
  constraint idempotency_keys_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 255)))
);
CREATE INDEX idempotency_keys_expires_at ON public.idempotency_keys USING btree (expires_at) WHERE (expires_at IS NOT NULL);
grant insert, select, update, delete on idempotency_keys to teller_app;

create table process_outbox (
  workflow_id text not null,
  process text not null,
  input jsonb not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint process_outbox_pkey PRIMARY KEY (workflow_id)
);
CREATE INDEX process_outbox_created_at ON public.process_outbox USING btree (created_at);
CREATE INDEX process_outbox_messages ON public.process_outbox USING btree (created_at) WHERE (process = 'message'::text);
grant insert, select, delete on process_outbox to teller_app;

create table audit_log (
  id uuid not null default uuidv7(),
  at timestamp(3) with time zone not null default now(),
  actor_id uuid,
  actor_role text not null,
  action text not null,
  subject_type text not null,
  subject_id text not null,
  before jsonb,
  after jsonb,
  reason text,
  request_id text,
  address text,
  constraint audit_log_pkey PRIMARY KEY (id),
  constraint audit_log_actor_role_check CHECK ((actor_role = ANY (ARRAY['customer'::text, 'admin'::text, 'system'::text])))
);
CREATE INDEX audit_log_subject ON public.audit_log USING btree (subject_type, subject_id, id);
CREATE INDEX audit_log_actor ON public.audit_log USING btree (actor_id, id);
CREATE INDEX audit_log_action ON public.audit_log USING btree (action, id);
grant insert, select on audit_log to teller_app;

create unlogged table throttles (
  key character varying(255) not null,
  points integer not null default 0,
  expire bigint,
  constraint throttles_pkey PRIMARY KEY (key)
);
CREATE INDEX throttles_expire ON public.throttles USING btree (expire);
grant insert, select, update, delete on throttles to teller_app;
