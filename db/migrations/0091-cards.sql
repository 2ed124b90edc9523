-- Cards, and their secrets in a table that the application cannot read.

create table cards (
  id uuid primary key,
  owner_id uuid not null references users,
  account_id uuid not null references accounts,
  product_id uuid not null,
  -- what the card may do is what this version says
  product_version integer not null,
  kind text not null check (kind in ('virtual', 'physical', 'single_use', 'merchant_locked')),
  status text not null check (status in ('inactive', 'active', 'blocked', 'closed')),
  blocked_by text check (blocked_by in ('customer', 'bank')),
  -- the customer had blocked it before the bank did: when the bank lets go, it is the customer's block again
  blocked_before boolean not null default false,
  closed_reason text check (closed_reason in
    ('lost', 'stolen', 'damaged', 'expired', 'customer', 'bank', 'account_closed')),
  last_four text not null check (last_four ~ '^\d{4}$'),
  -- the last day on which it can be used, in the time zone of the bank
  expires_on date not null,
  replaces uuid unique references cards,
  -- the one merchant that it pays
  merchant text check (char_length(merchant) between 1 and 40),
  -- how much its one payment may be, in minor units
  single_use_amount minor check (single_use_amount > 0),
  -- address that it is sent to, sealed for this row
  sealed_shipping bytea,
  issued_by uuid not null references users,
  created_at timestamptz(3) not null default bank_now(),
  activated_at timestamptz(3),
  closed_at timestamptz(3),
  foreign key (product_id, product_version) references card_product_versions (product_id, version),
  constraint cards_blocked check ((status = 'blocked') = (blocked_by is not null)),
  constraint cards_blocked_before check (not blocked_before or blocked_by = 'bank'),
  constraint cards_closed check ((status = 'closed') = (closed_reason is not null)
    and (status = 'closed') = (closed_at is not null)),
  constraint cards_activated check (status = 'closed' or (status = 'inactive') = (activated_at is null)),
  constraint cards_merchant check ((kind = 'merchant_locked') = (merchant is not null)),
  constraint cards_single_use check (kind = 'single_use' or single_use_amount is null),
  constraint cards_shipping check ((kind = 'physical') = (sealed_shipping is not null))
);
create index cards_owner on cards (owner_id, id);
create index cards_account on cards (account_id, id);
create index cards_product on cards (product_id, product_version);
grant select on cards to teller_app;

-- What only functions read. Numbers are sealed for their card by a key ring of its own.
create table card_secrets (
  card_id uuid primary key references cards,
  -- the key that has sealed the number, and of which its verification values are made
  key_id text not null,
  -- keyed hash of the number
  number_index bytea not null unique,
  sealed_number bytea not null
);

-- Who has seen the number or the verification value of a card.
create table card_reveals (
  id uuid primary key default uuidv7(),
  card_id uuid not null references cards,
  what text not null check (what in ('number', 'cvv')),
  at timestamptz(3) not null default bank_now()
);
create index card_reveals_card on card_reveals (card_id, at);
