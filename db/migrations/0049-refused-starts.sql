-- What operators have to see: processes that Temporal refuses to start, and what checks of the books found.

-- A start that was refused though Temporal could be reached. It is tried again, more and more rarely, after
-- those that were never refused; the row goes with the first success.
create table refused_starts (
  workflow_id text primary key,
  process text not null,
  -- what Temporal said
  failure text not null,
  attempts integer not null default 1 check (attempts > 0),
  first_at timestamptz(3) not null default clock_timestamp(),
  last_at timestamptz(3) not null default clock_timestamp(),
  due_at timestamptz(3) not null
);
create index refused_starts_due on refused_starts (due_at);
grant select, insert, update, delete on refused_starts to teller_app;

create table ledger_checks (
  id uuid primary key default uuidv7(),
  began_at timestamptz(3) not null,
  ended_at timestamptz(3) not null default clock_timestamp(),
  -- [{ check, broken }]: how many rows broke each check
  checks jsonb not null check (jsonb_typeof(checks) = 'array')
);
grant select, insert on ledger_checks to teller_app;
