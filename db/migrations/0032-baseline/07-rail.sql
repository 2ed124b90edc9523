-- What was given to the payment rail and what it has said: written down first, acted on then, never
-- forgotten.

-- One row a payment, made before its file: whatever the rail reports must be about one of these.
create table rail_payments (
  transfer_id uuid primary key references transfers,
  -- ISO 20022 Max35Text
  message_id text not null unique check (char_length(message_id) between 1 and 35),
  asset text not null references assets,
  amount minor not null check (amount > 0),
  created_at timestamptz(3) not null default now(),
  -- when its file was at the rail's door; null: nobody knows whether it is
  delivered_at timestamptz(3)
);
grant select, insert (transfer_id, message_id, asset, amount), update (delivered_at)
  on rail_payments to teller_app;

create table rail_messages (
  -- the order in which they came
  seq bigint generated always as identity primary key,
  -- kind and id of the rail's file, and the place in it
  message_id text not null unique check (char_length(message_id) between 1 and 100),
  transfer_id uuid not null references rail_payments,
  kind text not null check (kind in ('accepted', 'rejected', 'settled', 'returned')),
  -- ISO 20022 external reason code
  code text check (char_length(code) between 1 and 35),
  reported_at timestamptz(3) not null,
  -- whose it is if several rails are connected: each takes to its transfers what it has taken in itself
  folder text not null check (char_length(folder) between 1 and 500),
  -- where the file is kept
  file text not null check (char_length(file) between 1 and 1024),
  received_at timestamptz(3) not null default now(),
  attempts integer not null default 0 check (attempts >= 0),
  -- put off by whoever takes the message to its transfer, while at it
  due_at timestamptz(3) not null default now(),
  handled_at timestamptz(3),
  constraint rail_messages_reason check ((code is not null) = (kind in ('rejected', 'returned')))
);
create index rail_messages_due on rail_messages (folder, due_at) where handled_at is null;
create index rail_messages_transfer on rail_messages (transfer_id, seq);
grant select, insert (message_id, transfer_id, kind, code, reported_at, folder, file),
  update (attempts, due_at, handled_at) on rail_messages to teller_app;
