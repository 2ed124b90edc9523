-- A hold whose time is over and which the books refuse to end. It is tried again, more and more rarely, after
-- those that were never refused; the row goes with the first success.
create table refused_expiries (
  hold_id uuid primary key references holds,
  -- what PostgreSQL said
  failure text not null,
  attempts integer not null default 1 check (attempts > 0),
  first_at timestamptz(3) not null default bank_now(),
  last_at timestamptz(3) not null default bank_now(),
  due_at timestamptz(3) not null
);
create index refused_expiries_due on refused_expiries (due_at);
grant select on refused_expiries to teller_app;
