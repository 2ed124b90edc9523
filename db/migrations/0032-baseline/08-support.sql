-- Messages that go out, files that come in, and the tickets that people talk in.

create table messages (
  id uuid primary key,
  user_id uuid references users,
  channel text not null check (channel in ('email', 'sms')),
  template text not null check (template ~ '^[a-z][a-z0-9_]{1,63}$'),
  locale text not null check (char_length(locale) between 2 and 35),
  -- recipient and values; a one-time code must not outlive its delivery
  sealed_content bytea,
  status text not null default 'queued' check (status in ('queued', 'delivered', 'failed')),
  attempts smallint not null default 0 check (attempts >= 0),
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  constraint messages_sealed_while_queued check ((status = 'queued') = (sealed_content is not null)),
  constraint messages_finished check ((status = 'queued') = (finished_at is null))
);
create index messages_user on messages (user_id, id) where user_id is not null;
grant select, insert, update (sealed_content, status, attempts, finished_at) on messages to teller_app;

create table uploads (
  id uuid primary key,
  uploader_id uuid not null references users,
  file_name text not null check (char_length(file_name) between 1 and 255),
  content_type text not null check (content_type ~ '^[a-z]+/[a-z0-9.+-]{1,100}$'),
  -- what the uploader said beforehand; the object must agree
  declared_bytes bigint check (declared_bytes > 0),
  declared_sha256 bytea check (octet_length(declared_sha256) = 32),
  -- random: whoever knows an id or a name cannot guess the place
  object_key text not null unique,
  status text not null default 'pending' check (status in ('pending', 'confirmed', 'rejected', 'expired')),
  -- what was found at the place when it was confirmed; 10 MiB at most
  size_bytes bigint check (size_bytes between 1 and 10485760),
  sha256 bytea check (octet_length(sha256) = 32),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  finished_at timestamptz(3),
  constraint uploads_confirmed_was_read
    check ((status = 'confirmed') = (size_bytes is not null and sha256 is not null)),
  constraint uploads_finished check ((status = 'pending') = (finished_at is null)),
  constraint uploads_expire_later check (expires_at > created_at)
);
grant select, insert, update (status, size_bytes, sha256, finished_at) on uploads to teller_app;

create sequence ticket_numbers start 100001;
grant usage on sequence ticket_numbers to teller_app;

create table tickets (
  id uuid primary key,
  -- for people: read out on the phone, named in a subject
  number text not null unique default 'T-' || nextval('ticket_numbers'),
  customer_id uuid not null references users,
  subject text not null check (char_length(subject) between 1 and 200),
  category text not null
    check (category in ('account', 'transfer', 'card', 'crypto', 'security', 'other')),
  status text not null default 'open'
    check (status in ('open', 'waiting_for_customer', 'waiting_for_support', 'closed')),
  created_at timestamptz(3) not null default now(),
  last_activity_at timestamptz(3) not null default now(),
  closed_at timestamptz(3),
  -- null if only the timer closed it
  closed_by uuid references users,
  close_reason text check (char_length(close_reason) between 1 and 500),
  constraint tickets_closed check ((status = 'closed') = (closed_at is not null)),
  constraint tickets_closed_by check (status = 'closed' or (closed_by is null and close_reason is null))
);
create index tickets_customer on tickets (customer_id, id);
create index tickets_status on tickets (status, id);
grant select, insert, update (status, last_activity_at, closed_at, closed_by, close_reason)
  on tickets to teller_app;

-- The application can neither change nor delete what was said.
create table ticket_messages (
  id uuid primary key,
  ticket_id uuid not null references tickets,
  author_id uuid not null references users,
  side text not null check (side in ('customer', 'support')),
  body text not null check (char_length(body) between 1 and 10000),
  created_at timestamptz(3) not null default now()
);
create index ticket_messages_ticket on ticket_messages (ticket_id, id);
grant select, insert on ticket_messages to teller_app;

create table ticket_attachments (
  upload_id uuid primary key references uploads,
  message_id uuid not null references ticket_messages
);
create index ticket_attachments_message on ticket_attachments (message_id, upload_id);
grant select, insert on ticket_attachments to teller_app;
