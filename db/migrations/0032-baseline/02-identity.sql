create table registrations (
  id uuid not null default uuidv7(),
  sealed_applicant bytea not null,
  phone_verified_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  constraint registrations_pkey PRIMARY KEY (id),
  constraint registrations_check CHECK ((expires_at > created_at))
);
CREATE INDEX registrations_expires_at ON public.registrations USING btree (expires_at);
grant insert, select, delete on registrations to teller_app;
grant update (phone_verified_at) on registrations to teller_app;

create table users (
  id uuid not null default uuidv7(),
  email text not null,
  email_verified_at timestamp(3) with time zone not null default now(),
  phone text,
  phone_verified_at timestamp(3) with time zone,
  password_hash text,
  first_name text not null,
  last_name text not null,
  date_of_birth date,
  country text,
  address jsonb,
  locale text not null default 'en'::text,
  role text not null default 'customer'::text,
  status text not null default 'active'::text,
  email_otp_enabled boolean not null default false,
  sms_otp_enabled boolean not null default false,
  preferred_method text not null default 'email_otp'::text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  email_changed_at timestamp(3) with time zone,
  kyc_level smallint not null default 0,
  kyc_status text not null default 'none'::text,
  search_text text generated always as (search_form(((((((first_name || ' '::text) || last_name) || ' '::text) || email) || ' '::text) || COALESCE(phone, ''::text)))) stored,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_id_role_key UNIQUE (id, role),
  constraint users_email_check CHECK (char_length(email) between 3 and 254 and email ~ '^[^@[:space:]]+@[^@[:space:]]+$'),
  constraint users_phone_check CHECK ((phone ~ '^[+][1-9][0-9]{6,14}$'::text)),
  constraint users_password_hash_check CHECK ((password_hash ~~ '$argon2id$%'::text)),
  constraint users_first_name_check CHECK (((char_length(first_name) >= 1) AND (char_length(first_name) <= 100))),
  constraint users_last_name_check CHECK (((char_length(last_name) >= 1) AND (char_length(last_name) <= 100))),
  constraint users_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
  constraint users_address_check CHECK ((jsonb_typeof(address) = 'object'::text)),
  constraint users_locale_check CHECK (((char_length(locale) >= 2) AND (char_length(locale) <= 35))),
  constraint users_role_check CHECK ((role = ANY (ARRAY['customer'::text, 'admin'::text]))),
  constraint users_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'blocked'::text]))),
  constraint users_preferred_method_check CHECK ((preferred_method = ANY (ARRAY['totp'::text, 'email_otp'::text, 'sms_otp'::text]))),
  constraint users_active_has_password CHECK (((status <> 'active'::text) OR (password_hash IS NOT NULL))),
  constraint users_verified_phone_exists CHECK (((phone_verified_at IS NULL) OR (phone IS NOT NULL))),
  constraint users_sms_needs_phone CHECK (((NOT sms_otp_enabled) OR (phone_verified_at IS NOT NULL))),
  constraint users_kyc_status_check CHECK ((kyc_status = ANY (ARRAY['none'::text, 'draft'::text, 'submitted'::text, 'in_review'::text, 'changes_requested'::text, 'approved'::text, 'rejected'::text, 'skipped'::text, 'expired'::text])))
);
CREATE UNIQUE INDEX users_email ON public.users USING btree (lower(email));
CREATE UNIQUE INDEX users_phone ON public.users USING btree (phone) WHERE (phone_verified_at IS NOT NULL);
CREATE INDEX users_search ON public.users USING gin (search_text gin_trgm_ops);
CREATE INDEX users_by_status ON public.users USING btree (status, id);
CREATE INDEX users_by_role ON public.users USING btree (role, id);
CREATE INDEX users_by_kyc ON public.users USING btree (kyc_status, id);
grant insert, select on users to teller_app;
grant update (email, email_verified_at, phone, phone_verified_at, password_hash, first_name, last_name, date_of_birth, country, address, locale, email_otp_enabled, sms_otp_enabled, preferred_method, updated_at, email_changed_at) on users to teller_app;

create table user_permissions (
  user_id uuid not null,
  action text not null,
  role text not null default 'admin'::text,
  granted_by uuid,
  granted_at timestamp(3) with time zone not null default now(),
  constraint user_permissions_pkey PRIMARY KEY (user_id, action),
  constraint user_permissions_action_check CHECK ((action ~ '^[a-z][a-z_-]*:[a-z][a-z_-]*$'::text)),
  constraint user_permissions_role_check CHECK ((role = 'admin'::text)),
  constraint user_permissions_not_by_oneself CHECK ((granted_by <> user_id))
);
grant select on user_permissions to teller_app;

create table admin_invitations (
  user_id uuid not null,
  token_hash bytea not null,
  invited_by uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  accepted_at timestamp(3) with time zone,
  constraint admin_invitations_pkey PRIMARY KEY (user_id),
  constraint admin_invitations_token_hash_key UNIQUE (token_hash),
  constraint admin_invitations_token_hash_check CHECK ((octet_length(token_hash) = 32)),
  constraint admin_invitations_check CHECK ((expires_at > created_at)),
  constraint admin_invitations_not_by_oneself CHECK ((invited_by <> user_id))
);
grant insert, select on admin_invitations to teller_app;
grant update (token_hash, invited_by, created_at, expires_at) on admin_invitations to teller_app;

create table sessions (
  id uuid not null default uuidv7(),
  user_id uuid not null,
  device_label text,
  user_agent text not null default ''::text,
  address text not null,
  amr text[] not null,
  authenticated_at timestamp(3) with time zone not null default now(),
  proved_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  last_used_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  ended_at timestamp(3) with time zone,
  end_reason text,
  device_hash bytea,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_device_label_check CHECK (((char_length(device_label) >= 1) AND (char_length(device_label) <= 100))),
  constraint sessions_user_agent_check CHECK ((char_length(user_agent) <= 500)),
  constraint sessions_amr_check CHECK ((cardinality(amr) > 0)),
  constraint sessions_end_has_reason CHECK (((ended_at IS NULL) = (end_reason IS NULL))),
  constraint sessions_device_hash_check CHECK ((octet_length(device_hash) = 32)),
  constraint sessions_end_reason_check CHECK ((end_reason = ANY (ARRAY['logout'::text, 'refresh_reuse'::text, 'password_changed'::text, 'user_blocked'::text, 'ended_by_user'::text, 'role_changed'::text])))
);
CREATE INDEX sessions_live ON public.sessions USING btree (user_id) WHERE (ended_at IS NULL);
CREATE INDEX sessions_addresses ON public.sessions USING btree (user_id, address, created_at);
CREATE INDEX sessions_devices ON public.sessions USING btree (user_id, device_hash) WHERE (device_hash IS NOT NULL);
CREATE INDEX sessions_of_user ON public.sessions USING btree (user_id, id DESC);
grant insert, select on sessions to teller_app;
grant update (amr, proved_at, last_used_at, ended_at, end_reason) on sessions to teller_app;

create table refresh_tokens (
  id uuid not null default uuidv7(),
  session_id uuid not null,
  token_hash bytea not null,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  rotated_at timestamp(3) with time zone,
  sealed_successor bytea,
  constraint refresh_tokens_pkey PRIMARY KEY (id),
  constraint refresh_tokens_token_hash_key UNIQUE (token_hash),
  constraint refresh_tokens_token_hash_check CHECK ((octet_length(token_hash) = 32)),
  constraint refresh_tokens_successor_after_rotation CHECK (((sealed_successor IS NULL) OR (rotated_at IS NOT NULL)))
);
CREATE UNIQUE INDEX refresh_tokens_one_live ON public.refresh_tokens USING btree (session_id) WHERE (rotated_at IS NULL);
grant insert, select on refresh_tokens to teller_app;
grant update (rotated_at, sealed_successor) on refresh_tokens to teller_app;

create table challenges (
  id uuid not null default uuidv7(),
  purpose text not null,
  subject_id uuid not null,
  method text not null,
  code_mac bytea,
  session_id uuid,
  operation text,
  device_label text,
  attempts smallint not null default 0,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  consumed_at timestamp(3) with time zone,
  resends smallint not null default 0,
  sent_at timestamp(3) with time zone not null default now(),
  device_hash bytea,
  constraint challenges_pkey PRIMARY KEY (id),
  constraint challenges_method_check CHECK ((method = ANY (ARRAY['totp'::text, 'email_otp'::text, 'sms_otp'::text]))),
  constraint challenges_device_label_check CHECK (((char_length(device_label) >= 1) AND (char_length(device_label) <= 100))),
  constraint challenges_attempts CHECK (((attempts >= 0) AND (attempts <= 5))),
  constraint challenges_sent_code_has_mac CHECK (((method = 'totp'::text) = (code_mac IS NULL))),
  constraint challenges_step_up_is_bound CHECK ((((purpose = 'step_up'::text) = (session_id IS NOT NULL)) AND ((purpose = 'step_up'::text) = (operation IS NOT NULL)))),
  constraint challenges_purpose_check CHECK ((purpose = ANY (ARRAY['verify_email'::text, 'verify_phone'::text, 'login'::text, 'step_up'::text, 'reset_password'::text, 'change_email'::text, 'change_phone'::text]))),
  constraint challenges_resends CHECK (((resends >= 0) AND (resends <= 3))),
  constraint challenges_device_hash_check CHECK ((octet_length(device_hash) = 32))
);
CREATE INDEX challenges_subject ON public.challenges USING btree (subject_id, purpose, created_at);
CREATE INDEX challenges_expires_at ON public.challenges USING btree (expires_at);
grant insert, select, delete on challenges to teller_app;
grant update (code_mac, attempts, expires_at, consumed_at, resends, sent_at) on challenges to teller_app;

create table code_failures (
  user_id uuid not null,
  purpose text not null,
  failures integer not null,
  since timestamp(3) with time zone not null default now(),
  constraint code_failures_pkey PRIMARY KEY (user_id, purpose),
  constraint code_failures_failures_check CHECK ((failures >= 0))
);
grant insert, select on code_failures to teller_app;
grant update (failures, since) on code_failures to teller_app;

create table contact_changes (
  id uuid not null default uuidv7(),
  user_id uuid not null,
  kind text not null,
  sealed_value bytea not null,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  constraint contact_changes_pkey PRIMARY KEY (id),
  constraint contact_changes_user_id_kind_key UNIQUE (user_id, kind),
  constraint contact_changes_kind_check CHECK ((kind = ANY (ARRAY['email'::text, 'phone'::text]))),
  constraint contact_changes_check CHECK ((expires_at > created_at))
);
CREATE INDEX contact_changes_expires_at ON public.contact_changes USING btree (expires_at);
grant insert, select, delete on contact_changes to teller_app;

create table totp_factors (
  user_id uuid not null,
  sealed_secret bytea not null,
  confirmed_at timestamp(3) with time zone,
  last_step bigint,
  created_at timestamp(3) with time zone not null default now(),
  constraint totp_factors_pkey PRIMARY KEY (user_id),
  constraint totp_factors_confirmed_by_a_code CHECK (((confirmed_at IS NULL) OR (last_step IS NOT NULL)))
);
grant insert, select, delete on totp_factors to teller_app;
grant update (sealed_secret, confirmed_at, last_step, created_at) on totp_factors to teller_app;

create table recovery_codes (
  id uuid not null default uuidv7(),
  user_id uuid not null,
  code_mac bytea not null,
  created_at timestamp(3) with time zone not null default now(),
  used_at timestamp(3) with time zone,
  constraint recovery_codes_pkey PRIMARY KEY (id),
  constraint recovery_codes_user_id_code_mac_key UNIQUE (user_id, code_mac)
);
grant insert, select, delete on recovery_codes to teller_app;
grant update (used_at) on recovery_codes to teller_app;

create table step_up_uses (
  step_up_id uuid not null,
  resource_id uuid not null,
  used_at timestamp(3) with time zone not null default now(),
  constraint step_up_uses_pkey PRIMARY KEY (step_up_id)
);
CREATE INDEX step_up_uses_used_at ON public.step_up_uses USING btree (used_at);
grant insert, select, delete on step_up_uses to teller_app;

create table signing_keys (
  kid text not null,
  state text not null,
  public_jwk jsonb not null,
  sealed_private_jwk bytea not null,
  created_at timestamp(3) with time zone not null default now(),
  retires_at timestamp(3) with time zone,
  signing_since timestamp(3) with time zone,
  constraint signing_keys_pkey PRIMARY KEY (kid),
  constraint signing_keys_state_check CHECK ((state = ANY (ARRAY['next'::text, 'current'::text, 'retiring'::text]))),
  constraint signing_keys_retiring_ends CHECK (((state = 'retiring'::text) = (retires_at IS NOT NULL))),
  constraint signing_keys_public_is_public CHECK ((NOT (public_jwk ? 'd'::text)))
);
CREATE UNIQUE INDEX signing_keys_one_current ON public.signing_keys USING btree (state) WHERE (state = 'current'::text);
CREATE UNIQUE INDEX signing_keys_one_next ON public.signing_keys USING btree (state) WHERE (state = 'next'::text);
grant insert, select, delete on signing_keys to teller_app;
grant update (state, retires_at, signing_since) on signing_keys to teller_app;
