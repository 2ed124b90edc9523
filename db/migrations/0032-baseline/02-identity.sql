-- Who is who. A user exists only once the email address is proven: until then there is a registration,
-- sealed. Secrets are kept hashed or sealed, never readable.

create table registrations (
  id uuid primary key default uuidv7(),
  sealed_applicant bytea not null,
  phone_verified_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null check (expires_at > created_at)
);
create index registrations_expires_at on registrations (expires_at);
grant select, insert, delete, update (phone_verified_at) on registrations to teller_app;

create table users (
  id uuid primary key default uuidv7(),
  email text not null
    check (char_length(email) between 3 and 254 and email ~ '^[^@[:space:]]+@[^@[:space:]]+$'),
  email_verified_at timestamptz(3) not null default now(),
  phone text check (phone ~ '^[+][1-9][0-9]{6,14}$'),
  phone_verified_at timestamptz(3),
  password_hash text check (password_hash like '$argon2id$%'),
  first_name text not null check (char_length(first_name) between 1 and 100),
  last_name text not null check (char_length(last_name) between 1 and 100),
  date_of_birth date,
  country text check (country ~ '^[A-Z]{2}$'),
  address jsonb check (jsonb_typeof(address) = 'object'),
  locale text not null default 'en' check (char_length(locale) between 2 and 35),
  role text not null default 'customer' check (role in ('customer', 'admin')),
  status text not null default 'active' check (status in ('pending', 'active', 'blocked')),
  email_otp_enabled boolean not null default false,
  sms_otp_enabled boolean not null default false,
  preferred_method text not null default 'email_otp'
    check (preferred_method in ('totp', 'email_otp', 'sms_otp')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- a changed address is proven, but says nothing about who holds the password (see hasFreshProof)
  email_changed_at timestamptz(3),
  -- how far a customer is identified, 0 not at all; the reviews to come write it, not the application
  kyc_level smallint not null default 0,
  kyc_status text not null default 'none' check (kyc_status in ('none', 'draft', 'submitted', 'in_review',
    'changes_requested', 'approved', 'rejected', 'skipped', 'expired')),
  search_text text generated always as
    (search_form(first_name || ' ' || last_name || ' ' || email || ' ' || coalesce(phone, ''))) stored,
  unique (id, role),
  constraint users_active_has_password check (status <> 'active' or password_hash is not null),
  constraint users_verified_phone_exists check (phone_verified_at is null or phone is not null),
  constraint users_sms_needs_phone check (not sms_otp_enabled or phone_verified_at is not null)
);
-- one login per address, however it is written; one per number, once somebody has proven it
create unique index users_email on users (lower(email));
create unique index users_phone on users (phone) where phone_verified_at is not null;
create index users_search on users using gin (search_text gin_trgm_ops);
create index users_by_status on users (status, id);
create index users_by_role on users (role, id);
create index users_by_kyc on users (kyc_status, id);
-- the application does not change who somebody is (role) and whether they may log in (status): functions do
grant select, insert on users to teller_app;
grant update (email, email_verified_at, phone, phone_verified_at, password_hash, first_name, last_name,
  date_of_birth, country, address, locale, email_otp_enabled, sms_otp_enabled, preferred_method, updated_at,
  email_changed_at) on users to teller_app;

-- What an administrator may do. Only functions write it.
create table user_permissions (
  user_id uuid not null,
  action text not null check (action ~ '^[a-z][a-z_-]*:[a-z][a-z_-]*$'),
  -- with the key to (id, role): a customer cannot hold a permission
  role text not null default 'admin' check (role = 'admin'),
  granted_by uuid references users,
  granted_at timestamptz(3) not null default now(),
  primary key (user_id, action),
  constraint user_permissions_admins_only foreign key (user_id, role) references users (id, role),
  constraint user_permissions_not_by_oneself check (granted_by <> user_id)
);
grant select on user_permissions to teller_app;

-- A new administrator chooses the password; an invitation that is sent again replaces the one before.
create table admin_invitations (
  user_id uuid primary key references users,
  -- SHA-256 of 256 random bits
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  invited_by uuid not null references users,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null check (expires_at > created_at),
  accepted_at timestamptz(3),
  constraint admin_invitations_not_by_oneself check (invited_by <> user_id)
);
grant select, insert, update (token_hash, invited_by, created_at, expires_at)
  on admin_invitations to teller_app;

create table sessions (
  id uuid primary key default uuidv7(),
  user_id uuid not null references users,
  device_label text check (char_length(device_label) between 1 and 100),
  user_agent text not null default '' check (char_length(user_agent) <= 500),
  address text not null,
  amr text[] not null check (cardinality(amr) > 0),
  authenticated_at timestamptz(3) not null default now(),
  -- when this session last proved more than the password
  proved_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  ended_at timestamptz(3),
  end_reason text check (end_reason in
    ('logout', 'refresh_reuse', 'password_changed', 'user_blocked', 'ended_by_user', 'role_changed')),
  -- SHA-256 of the 256 random bits that a device keeps
  device_hash bytea check (octet_length(device_hash) = 32),
  constraint sessions_end_has_reason check ((ended_at is null) = (end_reason is null))
);
create index sessions_live on sessions (user_id) where ended_at is null;
create index sessions_addresses on sessions (user_id, address, created_at);
create index sessions_devices on sessions (user_id, device_hash) where device_hash is not null;
-- the list of one's own sessions, newest first
create index sessions_of_user on sessions (user_id, id desc);
-- amr: a second factor that is set up in a session has been proven in it
grant select, insert, update (amr, proved_at, last_used_at, ended_at, end_reason) on sessions to teller_app;

create table refresh_tokens (
  id uuid primary key default uuidv7(),
  session_id uuid not null references sessions,
  -- SHA-256 of 256 random bits: nothing to guess, so no slow hash
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  rotated_at timestamptz(3),
  -- for the seconds in which the old token still answers with the same successor
  sealed_successor bytea,
  constraint refresh_tokens_successor_after_rotation
    check (sealed_successor is null or rotated_at is not null)
);
-- a family has one living token; a second branch cannot be written
create unique index refresh_tokens_one_live on refresh_tokens (session_id) where rotated_at is null;
grant select, insert, update (rotated_at, sealed_successor) on refresh_tokens to teller_app;

-- Whatever waits for a code: sent to somebody (its keyed hash is here) or made by an authenticator.
create table challenges (
  id uuid primary key default uuidv7(),
  purpose text not null check (purpose in ('verify_email', 'verify_phone', 'login', 'step_up',
    'reset_password', 'change_email', 'change_phone')),
  -- the user, or the registration that will become one
  subject_id uuid not null,
  method text not null check (method in ('totp', 'email_otp', 'sms_otp')),
  code_mac bytea,
  session_id uuid references sessions,
  operation text,
  device_label text check (char_length(device_label) between 1 and 100),
  attempts smallint not null default 0,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  consumed_at timestamptz(3),
  -- how often the code was sent again; wrong guesses go on being counted
  resends smallint not null default 0,
  sent_at timestamptz(3) not null default now(),
  -- the device that a login came from, as it named itself
  device_hash bytea check (octet_length(device_hash) = 32),
  constraint challenges_attempts check (attempts between 0 and 5),
  constraint challenges_resends check (resends between 0 and 3),
  constraint challenges_sent_code_has_mac check ((method = 'totp') = (code_mac is null)),
  constraint challenges_step_up_is_bound check
    ((purpose = 'step_up') = (session_id is not null) and (purpose = 'step_up') = (operation is not null))
);
create index challenges_subject on challenges (subject_id, purpose, created_at);
create index challenges_expires_at on challenges (expires_at);
grant select, insert, delete, update (attempts, consumed_at, code_mac, resends, sent_at, expires_at)
  on challenges to teller_app;

-- Wrong codes of a user in the running hour, for each purpose apart: whoever has stolen a password cannot use
-- up the guesses of the honest owner's session.
create table code_failures (
  user_id uuid not null references users,
  purpose text not null,
  failures integer not null check (failures >= 0),
  since timestamptz(3) not null default now(),
  primary key (user_id, purpose)
);
grant select, insert, update (failures, since) on code_failures to teller_app;

-- An address or a number that waits to be proven; it may be somebody else's, so it is sealed.
create table contact_changes (
  id uuid primary key default uuidv7(),
  user_id uuid not null references users,
  kind text not null check (kind in ('email', 'phone')),
  sealed_value bytea not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null check (expires_at > created_at),
  -- a later wish replaces an earlier one
  unique (user_id, kind)
);
create index contact_changes_expires_at on contact_changes (expires_at);
grant select, insert, delete on contact_changes to teller_app;

create table totp_factors (
  user_id uuid primary key references users,
  sealed_secret bytea not null,
  -- null while the setup waits for its confirmation
  confirmed_at timestamptz(3),
  -- RFC 6238 section 5.2: a time step is accepted once
  last_step bigint,
  created_at timestamptz(3) not null default now(),
  constraint totp_factors_confirmed_by_a_code check (confirmed_at is null or last_step is not null)
);
grant select, insert, delete, update (sealed_secret, confirmed_at, last_step, created_at)
  on totp_factors to teller_app;

create table recovery_codes (
  id uuid primary key default uuidv7(),
  user_id uuid not null references users,
  code_mac bytea not null,
  created_at timestamptz(3) not null default now(),
  used_at timestamptz(3),
  unique (user_id, code_mac)
);
grant select, insert, delete, update (used_at) on recovery_codes to teller_app;

-- A step-up token works for one thing: its row is written in the transaction of the effect.
create table step_up_uses (
  step_up_id uuid primary key,
  resource_id uuid not null,
  used_at timestamptz(3) not null default now()
);
create index step_up_uses_used_at on step_up_uses (used_at);
grant select, insert, delete on step_up_uses to teller_app;

create table signing_keys (
  -- RFC 7638 thumbprint
  kid text primary key,
  state text not null check (state in ('next', 'current', 'retiring')),
  public_jwk jsonb not null,
  sealed_private_jwk bytea not null,
  created_at timestamptz(3) not null default now(),
  -- a retiring key is published until the last token it signed has expired
  retires_at timestamptz(3),
  -- a rotation that is tried again after a crash finds that it has happened
  signing_since timestamptz(3),
  constraint signing_keys_retiring_ends check ((state = 'retiring') = (retires_at is not null)),
  constraint signing_keys_public_is_public check (not public_jwk ? 'd')
);
create unique index signing_keys_one_current on signing_keys (state) where state = 'current';
create unique index signing_keys_one_next on signing_keys (state) where state = 'next';
grant select, insert, delete, update (state, retires_at, signing_since) on signing_keys to teller_app;
