-- Deposits of coins: what arrives at customers' addresses, and the accounts on which they hold it.

-- A customer's account of a coin has no type and no number: the bank's lists of accounts do not show it.
alter table accounts drop constraint accounts_kind_check, drop constraint accounts_kind_fits;
alter table accounts
  add constraint accounts_kind_check check (kind in ('customer', 'coin', 'house')) not valid,
  add constraint accounts_kind_fits check (case kind
    when 'customer' then owner_id is not null and account_type_id is not null and number is not null
      and role is null and shard is null
    when 'coin' then owner_id is not null and account_type_id is null and number is null and iban is null
      and nickname is null and role is null and shard is null and overdraft_limit = 0
      and max_balance is null
    else owner_id is null and account_type_id is null and number is null
      and role is not null and shard is not null end) not valid;
alter table accounts validate constraint accounts_kind_check;
alter table accounts validate constraint accounts_kind_fits;
create unique index accounts_coin on accounts (owner_id, asset) where kind = 'coin';

-- what has arrived and is less than the smallest unit of the books, in the smallest unit of the chain
alter table asset_networks add column remainder minor not null default 0 check (remainder >= 0);

create table crypto_deposits (
  id uuid primary key default uuidv7(),
  -- whose it is; null if nobody knows
  user_id uuid references users,
  asset text not null,
  network text not null,
  -- which output of which transaction; without a number the custodian's ids tell them apart
  tx_hash text not null check (char_length(tx_hash) between 1 and 200),
  output_index integer check (output_index >= 0),
  address text not null check (char_length(address) between 1 and 200),
  memo text check (char_length(memo) between 1 and 200),
  source_address text check (char_length(source_address) between 1 and 200),
  -- in the smallest unit of the chain, and what of it the books can hold
  chain_amount minor not null check (chain_amount > 0),
  amount minor not null check (amount >= 0),
  status text not null default 'pending'
    check (status in ('pending', 'credited', 'below_minimum', 'under_review', 'reversed')),
  -- why it is, or will be, under review
  fault text check (fault in ('no_memo', 'unknown_memo', 'unknown_address', 'told_otherwise')),
  confirmations integer not null check (confirmations >= 0),
  required_confirmations integer not null check (required_confirmations > 0),
  block_hash text check (char_length(block_hash) between 1 and 200),
  -- what the custodian says of it, and when it said so last
  custody_id text not null unique check (char_length(custody_id) between 1 and 80),
  custody_status text not null check (custody_status in ('moving', 'completed', 'failed')),
  custody_told text not null check (char_length(custody_told) between 1 and 80),
  custody_updated timestamptz(3) not null,
  created_at timestamptz(3) not null default bank_now(),
  credited_at timestamptz(3),
  foreign key (asset, network) references asset_networks (asset, network),
  constraint crypto_deposits_place unique (network, tx_hash, output_index, address, asset),
  constraint crypto_deposits_credited check (status <> 'credited'
    or (user_id is not null and credited_at is not null and fault is null)),
  constraint crypto_deposits_reviewed check (status <> 'under_review' or fault is not null)
);
create index crypto_deposits_user on crypto_deposits (user_id, id);
create index crypto_deposits_open on crypto_deposits (id) where status = 'pending'
  or (custody_status = 'moving' and status = 'reversed')
  or (custody_status <> 'completed' and status in ('credited', 'below_minimum', 'under_review'));
create index crypto_deposits_waiting on crypto_deposits (status) where status in ('pending', 'under_review');
create index crypto_deposits_network on crypto_deposits (asset, network, id);
grant select on crypto_deposits to teller_app;

-- What was booked of deposits, and taken back because the chain has: in turns, so that one booking of a
-- deposit stands at most.
create table crypto_deposit_bookings (
  -- the source of the ledger transaction
  id uuid primary key default uuidv7(),
  deposit_id uuid not null references crypto_deposits,
  seq smallint not null check (seq > 0),
  before smallint generated always as (nullif(seq - 1, 0)) stored,
  -- to whom: the customer, the bank because it is too small, or nobody until somebody has looked
  kind text not null check (kind in ('credit', 'dust', 'suspense', 'reversal')),
  -- in the smallest unit of the chain, negative if it is taken back
  chain_amount minor not null,
  -- null if it is less than the smallest unit of the books
  transaction_id uuid unique references ledger_transactions,
  created_at timestamptz(3) not null default bank_now(),
  constraint crypto_deposit_bookings_seq unique (deposit_id, seq),
  constraint crypto_deposit_bookings_turns check ((kind = 'reversal') = (seq % 2 = 0)
    and (kind = 'reversal') = (chain_amount < 0)),
  constraint crypto_deposit_bookings_after foreign key (deposit_id, before)
    references crypto_deposit_bookings (deposit_id, seq)
);
grant select on crypto_deposit_bookings to teller_app;

insert into source_rights (source_type, kind, permits) values
  ('crypto_deposit', 'crypto_deposit', 'must_book'), ('crypto_deposit', 'crypto_reversal', 'must_book');

-- Several workers ask the custodian what has changed, one at a time.
create table custody_poll (
  one boolean primary key default true check (one),
  -- what changed before is known, in the custodian's time
  seen_until timestamptz(3) not null,
  polled_at timestamptz(3) not null default '-infinity'
);
-- what has arrived since there are addresses is looked for
insert into custody_poll (seen_until) select coalesce(min(created_at), now()) from crypto_vaults;
grant select on custody_poll to teller_app;

-- a worker that works on an event has it until then
alter table custody_events add column claimed_until timestamptz(3);

update notification_types set enabled = true, updated_at = bank_now(),
    channels_allowed = channels_allowed || '{push}', channels_default = channels_default || '{push}',
    variables =
  '[{"name": "amount", "type": "text", "sample": "0.01500000 BTC", "personal": true},
    {"name": "network", "type": "text", "sample": "bitcoin", "personal": false}]'
  where code = 'crypto_deposit';

insert into notification_templates
    (type_code, channel, locale, subject, body, status, created_at, updated_at)
  select 'crypto_deposit', t.*, 'live', bank_now(), bank_now() from (values
  ('in_app', 'en', 'Coins received', '{{ amount }} has arrived on {{ network }} and is in your account.'),
  ('email', 'en', 'Coins received',
    E'{{ amount }} has arrived on {{ network }} and is in your account.\n'),
  ('sms', 'en', null::text, 'Teller: {{ amount }} has arrived on {{ network }}.'),
  ('push', 'en', 'Coins received', 'Open the app to read it.'),
  ('in_app', 'de', 'Coins erhalten', '{{ amount }} sind über {{ network }} eingegangen und gutgeschrieben.'),
  ('email', 'de', 'Coins erhalten',
    E'{{ amount }} sind über {{ network }} eingegangen und Ihrem Konto gutgeschrieben.\n'),
  ('sms', 'de', null, 'Teller: {{ amount }} sind über {{ network }} eingegangen.'),
  ('push', 'de', 'Coins erhalten', 'Zum Lesen bitte die App öffnen.')) t;

-- a database that has its triggers already has kept them by itself
insert into notification_template_versions (template_id, version, subject, body, status, created_at)
  select id, version, subject, body, status, created_at from notification_templates
    where type_code = 'crypto_deposit' on conflict do nothing;
