-- What every part stands on: whole minor units, remembered requests, the outbox of processes, the audit log.

grant usage on schema public to teller_app;

-- all are trusted extensions: the owner of the database may add them
create extension if not exists pg_trgm;
create extension if not exists unaccent;
create extension if not exists btree_gin;
create extension if not exists fuzzystrmatch;

-- Minor units. numeric(38,0) would silently round 1.5 to 2; a domain over numeric refuses it.
create domain minor as numeric check (value = trunc(value) and abs(value) < 1e38);

-- Returns one form of a text in any script, whatever its case and accents: Łódź and lodz, Straße and STRASSE,
-- Ёлка and елка. Defined here and not in db/functions, because the generated column users.search_text uses
-- it: a change of it needs a migration that computes the column anew.
create function search_form(given text) returns text
language sql immutable strict parallel safe set search_path = public, pg_temp as $$
  select regexp_replace(normalize(casefold(
      unaccent('public.unaccent'::regdictionary, normalize(given, nfkc)) collate pg_unicode_fast), nfkd),
    '[' || chr(768) || '-' || chr(879) || ']', '', 'g')
$$;

-- Requests by their idempotency keys, and what they were answered.
create table idempotency_keys (
  caller text not null,
  operation text not null,
  key text not null check (char_length(key) between 1 and 255),
  resource_id uuid not null unique,
  request_hmac bytea not null,
  refusal jsonb,
  status smallint,
  answer text,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  primary key (caller, operation, key)
);
create index idempotency_keys_expires_at on idempotency_keys (expires_at) where expires_at is not null;
grant select, insert, update, delete on idempotency_keys to teller_app;

-- Processes that wait for their start.
create table process_outbox (
  workflow_id text primary key,
  process text not null,
  input jsonb not null,
  created_at timestamptz(3) not null default now()
);
create index process_outbox_created_at on process_outbox (created_at);
-- messages are started before everything else that waits
create index process_outbox_messages on process_outbox (created_at) where process = 'message';
grant select, insert, delete on process_outbox to teller_app;

-- Who did what to what, and why.
create table audit_log (
  id uuid primary key default uuidv7(),
  at timestamptz(3) not null default now(),
  actor_id uuid,
  actor_role text not null check (actor_role in ('customer', 'admin', 'system')),
  action text not null,
  subject_type text not null,
  subject_id text not null,
  before jsonb,
  after jsonb,
  reason text,
  request_id text,
  address text
);
create index audit_log_subject on audit_log (subject_type, subject_id, id);
create index audit_log_actor on audit_log (actor_id, id);
create index audit_log_action on audit_log (action, id);
grant select, insert on audit_log to teller_app;

-- Counters of attempts, shared by all API replicas. Their loss in a crash costs nothing, so they are not
-- logged. Column order and types are those that rate-limiter-flexible writes; keys are keyed hashes.
create unlogged table throttles (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);
create index throttles_expire on throttles (expire);
grant select, insert, update, delete on throttles to teller_app;
