-- Who is told of what happens, on which channels, and how each delivery went.

-- What people can be told. A code is kept for ever: rows and templates name it.
create table notification_types (
  code text primary key check (code ~ '^[a-z][a-z0-9_]{1,63}$'),
  name text not null check (char_length(name) between 1 and 100),
  category text not null check (category in ('security', 'money', 'service', 'product')),
  -- at least one channel stays on, whatever somebody prefers
  mandatory boolean not null default false,
  channels_allowed text[] not null,
  channels_default text[] not null,
  digest text not null default 'none' check (digest in ('none', 'hourly', 'daily')),
  collapse_key text check (char_length(collapse_key) between 1 and 64),
  -- after that a delivery would only confuse
  ttl_seconds integer not null check (ttl_seconds between 60 and 2592000),
  -- codes overtake all else, and announcements nothing
  lane text not null default 'common' check (lane in ('codes', 'common', 'bulk')),
  -- what a template may say: [{name, type, sample, personal}]
  variables jsonb not null default '[]' check (jsonb_typeof(variables) = 'array'),
  enabled boolean not null default true,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint notification_types_channels check (cardinality(channels_allowed) > 0
    and channels_allowed <@ array['in_app', 'email', 'sms', 'push'] and channels_default <@ channels_allowed),
  constraint notification_types_mandatory check (not mandatory or cardinality(channels_default) > 0)
);
grant select, insert, update (name, category, mandatory, channels_allowed, channels_default, digest,
  collapse_key, ttl_seconds, variables, enabled, updated_at) on notification_types to teller_app;

-- The text of a type on a channel in a language. Its versions keep what it said before.
create table notification_templates (
  id uuid primary key default uuidv7(),
  type_code text not null references notification_types,
  channel text not null check (channel in ('in_app', 'email', 'sms', 'push')),
  locale text not null check (locale ~ '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$'),
  subject text check (char_length(subject) between 1 and 300 and subject !~ '[[:cntrl:]]'),
  body text not null check (char_length(body) between 1 and 20000),
  version integer not null default 1 check (version > 0),
  status text not null default 'draft' check (status in ('draft', 'live', 'retired')),
  -- null if the bank came with it
  updated_by uuid references users,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint notification_templates_subject check ((subject is null) = (channel = 'sms'))
);
create unique index notification_templates_live on notification_templates (type_code, channel, locale)
  where status = 'live';
create index notification_templates_type on notification_templates (type_code, id);
grant select, insert, update (subject, body, version, status, updated_by, updated_at)
  on notification_templates to teller_app;

create table notification_template_versions (
  template_id uuid not null references notification_templates,
  version integer not null check (version > 0),
  subject text,
  body text not null,
  status text not null check (status in ('draft', 'live', 'retired')),
  created_by uuid references users,
  created_at timestamptz(3) not null default now(),
  primary key (template_id, version)
);
grant select on notification_template_versions to teller_app;

-- What has happened, written in the transaction of its cause.
create table events (
  id uuid primary key default uuidv7(),
  type text not null check (type ~ '^[a-z][a-z0-9_]{1,63}$'),
  -- whom it concerns; null for somebody without a login
  user_id uuid references users,
  -- addresses and values, sealed for this row; erased once nothing of it is left to send
  sealed_content bytea,
  created_at timestamptz(3) not null default now()
);
create index events_type on events (type, id);
grant select on events to teller_app;

-- One person is told of one event once.
create table notifications (
  id uuid primary key default uuidv7(),
  event_id uuid not null references events,
  user_id uuid references users,
  type_code text not null references notification_types,
  -- the language at a time when there was no user to ask
  locale text not null check (char_length(locale) between 2 and 35),
  -- as the feed shows it; null until then, and for ever if the feed never does
  title text check (char_length(title) between 1 and 300),
  body text check (char_length(body) between 1 and 20000),
  link text check (char_length(link) between 1 and 2000),
  shown_at timestamptz(3),
  read_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  constraint notifications_once unique nulls not distinct (event_id, user_id, type_code),
  constraint notifications_shown check ((shown_at is null) = (title is null)
    and (shown_at is null) = (body is null)),
  constraint notifications_read check (read_at is null or shown_at is not null),
  constraint notifications_feed_of_somebody check (shown_at is null or user_id is not null)
);
create index notifications_feed on notifications (user_id, id) where shown_at is not null;
create index notifications_unread on notifications (user_id, id)
  where shown_at is not null and read_at is null;
create index notifications_user on notifications (user_id, id) where user_id is not null;
grant select, update (read_at) on notifications to teller_app;

-- How many notifications of the feed somebody has not read. A trigger keeps it.
create table notification_counts (
  user_id uuid primary key references users,
  unread bigint not null default 0 check (unread >= 0)
);
grant select on notification_counts to teller_app;

-- One delivery on one channel: there is never a second one.
create table notification_deliveries (
  id uuid primary key default uuidv7(),
  notification_id uuid not null references notifications,
  channel text not null check (channel in ('in_app', 'email', 'sms', 'push')),
  lane text not null check (lane in ('codes', 'common', 'bulk')),
  -- the event names the address: of a code, or the one that was replaced
  addressed boolean not null,
  status text not null default 'queued'
    check (status in ('queued', 'sent', 'failed', 'suppressed', 'expired', 'unknown')),
  reason text check (reason ~ '^[a-z][a-z0-9_]{1,63}$'),
  attempts smallint not null default 0 check (attempts >= 0),
  -- not before then, and not after
  due_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  -- whoever claimed it last: the word of no other worker counts. Until then, by the clock of the machine, the
  -- worker counts as alive
  claim uuid,
  claimed_until timestamptz(3),
  -- since then the recipient may have it
  begun_at timestamptz(3),
  -- by what the provider knows it
  provider_id text check (char_length(provider_id) between 1 and 200),
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  constraint notification_deliveries_once unique (notification_id, channel),
  constraint notification_deliveries_finished check ((status = 'queued') = (finished_at is null)),
  constraint notification_deliveries_reason check (status <> 'sent' or reason is null),
  constraint notification_deliveries_claimed check ((claim is null) = (claimed_until is null)
    and (begun_at is null or claim is not null))
);
create index notification_deliveries_due on notification_deliveries (lane, due_at) where status = 'queued';
grant select, update (attempts, due_at, claim, claimed_until, begun_at, reason)
  on notification_deliveries to teller_app;

-- What somebody wants otherwise than the type says.
create table notification_choices (
  user_id uuid not null references users,
  type_code text not null references notification_types,
  channel text not null check (channel in ('in_app', 'email', 'sms', 'push')),
  enabled boolean not null,
  updated_at timestamptz(3) not null default now(),
  primary key (user_id, type_code, channel)
);
grant select, insert, update (enabled, updated_at), delete on notification_choices to teller_app;

-- When somebody wants to be left alone, and when a digest shall come.
create table notification_settings (
  user_id uuid primary key references users,
  quiet_enabled boolean not null default false,
  quiet_start time not null default '22:00',
  quiet_end time not null default '07:00',
  -- null: that of the bank
  time_zone text check (char_length(time_zone) between 1 and 60),
  digest_hour smallint not null default 8 check (digest_hour between 0 and 23),
  -- ISO: 1 is Monday; null is every day
  digest_weekday smallint check (digest_weekday between 1 and 7),
  updated_at timestamptz(3) not null default now(),
  constraint notification_settings_quiet check (quiet_start <> quiet_end)
);
grant select, insert, update on notification_settings to teller_app;
