-- Changes that loosen a control and wait for a second administrator.

create table pending_changes (
  id uuid primary key,
  -- id of the operation that was called, and the action that it asks for
  operation text not null check (char_length(operation) between 1 and 100),
  permission text not null,
  resource_type text not null check (char_length(resource_type) between 1 and 60),
  resource_id text not null check (char_length(resource_id) between 1 and 200),
  -- version of the resource that the change was asked for
  etag text not null,
  -- what the maker sent, sealed for this row, and a keyed hash by which a repeat is known
  request bytea not null,
  request_mac bytea not null,
  -- what is changed, as administrators may see it
  before jsonb,
  after jsonb,
  -- whoever gains by it and therefore does not decide
  concerns uuid references users,
  requested_by uuid not null references users,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  status text not null default 'open'
    check (status in ('open', 'applied', 'rejected', 'withdrawn', 'expired', 'stale', 'failed')),
  reminded_at timestamptz(3),
  reminders integer not null default 0,
  decided_by uuid references users,
  decided_at timestamptz(3),
  decision_reason text check (char_length(decision_reason) between 1 and 500),
  -- code of the refusal that ended it as failed
  failure text,
  constraint pending_changes_ended check ((status = 'open') = (decided_at is null)),
  constraint pending_changes_failure check ((status = 'failed') = (failure is not null)),
  -- four eyes, whatever program writes; time decides an expiry, and only the maker withdraws
  constraint pending_changes_decider check (case
    when status in ('open', 'expired') then decided_by is null
    when status = 'withdrawn' then decided_by is not distinct from requested_by
    else decided_by is not null and decided_by <> requested_by
      and decided_by is distinct from concerns end)
);
-- one change of a resource by an operation waits at a time, and a request that is repeated is one change
create unique index pending_changes_one on pending_changes (operation, resource_type, resource_id)
  where status = 'open';
create unique index pending_changes_repeat on pending_changes (operation, requested_by, request_mac)
  where status = 'open';
create index pending_changes_open on pending_changes (id) where status = 'open';
create index pending_changes_resource on pending_changes (resource_id, id);
create index pending_changes_maker on pending_changes (requested_by, id);
grant select, insert (id, operation, permission, resource_type, resource_id, etag, request, request_mac,
  before, after, concerns, requested_by, expires_at) on pending_changes to teller_app;
grant update (reminded_at, reminders) on pending_changes to teller_app;
