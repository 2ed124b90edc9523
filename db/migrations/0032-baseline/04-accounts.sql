-- Requests for accounts that are reviewed, and flags of the money-laundering watch.

create table account_requests (
  id uuid primary key,
  user_id uuid not null references users,
  account_type_id uuid not null references account_types,
  nickname text check (char_length(nickname) between 1 and 60),
  status text not null default 'pending'
    check (status in ('pending', 'approved', 'rejected', 'withdrawn', 'expired')),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  reminded_at timestamptz(3),
  reminders integer not null default 0,
  decided_by uuid references users,
  -- id reserved for the request that decided, so that its repeat is told apart from somebody's second thought
  decision_id uuid,
  decision_reason text check (char_length(decision_reason) between 1 and 500),
  decided_at timestamptz(3),
  account_id uuid unique references accounts,
  constraint account_requests_ended check ((status = 'pending') = (decided_at is null)),
  constraint account_requests_opened check ((status = 'approved') = (account_id is not null)),
  -- four eyes, whatever program writes; time decides an expiry, and only the person who asked withdraws
  constraint account_requests_decider check (case status
    when 'pending' then decided_by is null
    when 'expired' then decided_by is null
    when 'withdrawn' then decided_by is not distinct from user_id
    else decided_by is not null and decided_by <> user_id end)
);
create index account_requests_user on account_requests (user_id, id);
create index account_requests_pending on account_requests (id) where status = 'pending';
-- asked twice, even at once, is asked once
create unique index account_requests_once on account_requests (user_id, account_type_id)
  where status = 'pending';
create index account_requests_type on account_requests (account_type_id);
grant select, insert on account_requests to teller_app;
grant update (status, reminded_at, reminders, decided_by, decision_id, decision_reason, decided_at,
  account_id) on account_requests to teller_app;

create table account_aml_flags (
  id uuid primary key default uuidv7(),
  account_id uuid not null references accounts,
  -- null if a rule raised it
  raised_by uuid references users,
  reason text not null check (char_length(reason) between 1 and 500),
  -- while the flag is open nothing moves, not only what waits for review
  frozen boolean not null default false,
  frozen_by uuid references users,
  -- the account's status that comes back afterwards
  status_before text check (status_before in ('open', 'blocked')),
  raised_at timestamptz(3) not null default now(),
  cleared_by uuid references users,
  clear_reason text check (char_length(clear_reason) between 1 and 500),
  cleared_at timestamptz(3),
  constraint account_aml_flags_cleared check (
    (cleared_at is null) = (cleared_by is null) and (cleared_at is null) = (clear_reason is null)),
  constraint account_aml_flags_frozen check (frozen = (status_before is not null)),
  -- four eyes, whatever program writes
  constraint account_aml_flags_four_eyes check (cleared_by <> raised_by and cleared_by <> frozen_by)
);
create unique index account_aml_flags_open on account_aml_flags (account_id) where cleared_at is null;
create index account_aml_flags_account on account_aml_flags (account_id, id);
grant select on account_aml_flags to teller_app;
