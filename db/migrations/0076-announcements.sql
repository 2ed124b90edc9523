-- What an administrator tells many people, and text messages that are counted because each costs.

create table announcements (
  id uuid primary key,
  type_code text not null references notification_types,
  -- sealed for this row; erased at its end
  sealed_values bytea,
  -- null: every active customer of that moment
  recipients uuid[] check (cardinality(recipients) between 1 and 1000),
  status text not null default 'sending' check (status in ('sending', 'sent', 'stopped')),
  -- how many people were told, and the last of them in the order of their ids
  told bigint not null default 0 check (told >= 0),
  last_told uuid,
  created_by uuid not null references users,
  created_at timestamptz(3) not null,
  -- when its process last did something
  active_at timestamptz(3) not null,
  finished_at timestamptz(3),
  constraint announcements_finished check ((status = 'sending') = (finished_at is null)),
  constraint announcements_erased check (status = 'sending' or sealed_values is null)
);
create index announcements_open on announcements (id) where status = 'sending';
create index announcements_type on announcements (type_code);
create index announcements_author on announcements (created_by);
grant select, insert on announcements to teller_app;

alter table events add column announcement_id uuid references announcements;
create index events_announcement on events (announcement_id) where announcement_id is not null;

-- Text messages that were paid for on a day of the bank: to a number, and of all numbers (`bank`).
create table sms_uses (
  day date not null,
  -- of a number its hash
  spender text not null check (spender ~ '^(bank|[0-9a-f]{64})$'),
  segments integer not null check (segments > 0),
  primary key (day, spender)
);
grant select, delete on sms_uses to teller_app;
