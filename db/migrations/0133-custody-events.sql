-- What the custodian has told at the door of its webhooks, in the bytes that it has signed.
create table custody_events (
  id uuid primary key default uuidv7(),
  -- the custodian's id of it, or the SHA-256 of a body that has none: a repeat has the same
  event_key text not null unique check (char_length(event_key) between 1 and 80),
  type text check (char_length(type) between 1 and 80),
  -- what it is about: the custodian's id of a transaction or a vault
  resource text check (char_length(resource) between 1 and 80),
  body bytea not null,
  status text not null default 'waiting' check (status in ('waiting', 'done', 'aside')),
  -- why somebody has to look
  fault text check (char_length(fault) between 1 and 80),
  received_at timestamptz(3) not null default bank_now(),
  check ((status = 'aside') = (fault is not null)),
  check (status <> 'waiting' or resource is not null)
);
grant select on custody_events to teller_app;
create index custody_events_waiting on custody_events (id) where status = 'waiting';
