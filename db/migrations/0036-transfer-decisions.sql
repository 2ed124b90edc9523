-- What people decide on a transfer is a row before its process hears of it, and what a process has to hear of
-- waits in a table until it has.

create table transfer_decisions (
  id uuid primary key,
  transfer_id uuid not null references transfers,
  kind text not null,
  decided_by uuid not null references users,
  reason text,
  request_id text,
  state text not null default 'accepted',
  refusal text,
  created_at timestamptz(3) not null default clock_timestamp(),
  concluded_at timestamptz(3),
  constraint transfer_decisions_kind check (kind in ('execute', 'reject', 'cancel')),
  constraint transfer_decisions_state check (state in ('accepted', 'done', 'refused')),
  constraint transfer_decisions_concluded check ((state = 'accepted') = (concluded_at is null)),
  constraint transfer_decisions_refused check ((state = 'refused') = (refusal is not null))
);
create unique index transfer_decisions_open on transfer_decisions (transfer_id) where state = 'accepted';
create index transfer_decisions_transfer on transfer_decisions (transfer_id, created_at);
grant select on transfer_decisions to teller_app;

create table process_updates (
  workflow_id text not null,
  update_id text not null,
  name text not null,
  input jsonb not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  due_at timestamptz(3) not null default clock_timestamp(),
  attempts int not null default 0,
  primary key (workflow_id, update_id)
);
create index process_updates_due on process_updates (due_at);
grant select, insert, update, delete on process_updates to teller_app;
