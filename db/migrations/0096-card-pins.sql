-- PINs of cards: their verification values in a table that the application cannot read, and who has set one.

-- the function that writes a value keeps this beside it
alter table cards add column pin_status text not null default 'unset'
  check (pin_status in ('unset', 'set', 'locked'));

create table card_pins (
  card_id uuid primary key references cards,
  -- the key of the ring that has made the value
  key_id text not null,
  -- keyed hash of the card and its PIN
  verification_value bytea not null check (octet_length(verification_value) = 32),
  -- wrong PINs since the last right one
  wrong_tries smallint not null default 0 check (wrong_tries >= 0),
  set_at timestamptz(3) not null default bank_now()
);

-- What holders did with their PINs. A message that has set one is never taken again.
create table card_pin_changes (
  id uuid primary key default uuidv7(),
  card_id uuid not null references cards,
  change text not null check (change in ('set', 'unlocked')),
  nonce_hash bytea,
  at timestamptz(3) not null default bank_now(),
  constraint card_pin_changes_nonce check ((change = 'set') = (nonce_hash is not null)),
  constraint card_pin_changes_once unique (card_id, nonce_hash)
);
