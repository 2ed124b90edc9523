-- Clearing: what the network says that a card payment comes to in the end, record by record, in files that
-- are taken whole. Each record is booked once, whatever card and account say.

alter table card_payments
  -- what of that was authorised and is cleared
  add column matched minor not null default 0 check (matched >= 0),
  -- a record has said that no other will come
  add column is_final boolean not null default false,
  -- of what is cleared: cash, and what was paid in another currency
  add column cleared_cash minor not null default 0 check (cleared_cash >= 0),
  add column cleared_exchanged minor not null default 0 check (cleared_exchanged >= 0),
  -- booked with what is cleared
  add column booked_fees minor not null default 0 check (booked_fees >= 0),
  -- clearing does not say how the card was read
  alter column entry_mode drop not null,
  add constraint card_payments_matched check (matched <= cleared and cleared_cash <= cleared
    and cleared_exchanged <= cleared);

-- Files of the network: clearing says what is booked, settlement what is paid between bank and network.
create table card_files (
  id uuid primary key,
  kind text check (kind in ('clearing', 'settlement')),
  network text check (char_length(network) between 1 and 64),
  -- the network's id of the file
  network_id text check (char_length(network_id) between 1 and 64),
  business_day date,
  -- of all that it says
  content_hash bytea not null,
  -- where it lies in the object store, without numbers of cards
  object_key text not null,
  records integer not null check (records >= 0),
  -- why it was refused whole
  fault text,
  -- of a clearing file: the settlement file that has paid for it
  settled_by uuid references card_files,
  -- of a settlement file: what the bank pays, or gets if it is negative
  net minor,
  asset text references assets,
  settled_at timestamptz(3),
  transaction_id uuid unique references ledger_transactions,
  created_at timestamptz(3) not null default bank_now(),
  constraint card_files_refused check (fault is not null
    or num_nulls(kind, network, network_id, business_day) = 0),
  constraint card_files_settled check (settled_by is null or kind = 'clearing'),
  constraint card_files_net check ((fault is null and kind = 'settlement') = (net is not null)
    and (net is null) = (asset is null) and (net is not null or settled_at is null)
    and (settled_at is not null or transaction_id is null))
);
create index card_files_unsettled on card_files (id) where net is not null and settled_at is null;
-- what was refused may come again
create unique index card_files_key on card_files (network, kind, network_id) where fault is null;
create unique index card_files_content on card_files (content_hash) where fault is null;
create index card_files_settled_by on card_files (settled_by) where settled_by is not null;
grant select on card_files to teller_app;

create table card_clearings (
  id uuid primary key,
  file_id uuid not null references card_files,
  network text not null,
  -- the network's id of the record
  record_id text not null check (char_length(record_id) between 1 and 64),
  -- the network's id of the payment; null if it names none
  network_id text check (char_length(network_id) between 1 and 64),
  kind text not null check (kind in ('purchase', 'cash', 'refund')),
  amount minor not null check (amount > 0),
  asset text not null references assets,
  merchant_amount minor not null,
  merchant_asset text not null,
  -- {id, name, city, country, mcc}
  merchant jsonb not null check (jsonb_typeof(merchant) = 'object'),
  -- what the bank gets of the merchant's fee; negative if it gives
  interchange minor not null,
  is_final boolean not null,
  last_four text not null check (last_four ~ '^\d{4}$'),
  -- null if the number belongs to no card
  card_id uuid references cards,
  status text not null default 'waiting' check (status in ('waiting', 'booked', 'aside')),
  -- why somebody has to look at it: unknown_card, other_currency, other_card, which are booked in suspense,
  -- or why the books have refused it
  fault text,
  payment_id uuid references card_payments,
  transaction_id uuid unique references ledger_transactions,
  -- of the fee rules of cash and of other currencies
  fee minor check (fee >= 0),
  created_at timestamptz(3) not null default bank_now(),
  booked_at timestamptz(3),
  constraint card_clearings_key unique (network, record_id),
  constraint card_clearings_aside check ((status = 'aside') = (fault is not null)),
  constraint card_clearings_booked check ((status = 'booked') = (payment_id is not null)
    and (payment_id is null) = (fee is null) and (transaction_id is null) = (booked_at is null)
    and (status <> 'booked' or transaction_id is not null))
) with (fillfactor = 80);
create index card_clearings_waiting on card_clearings (file_id, id) where status = 'waiting';
create index card_clearings_aside on card_clearings (file_id, id) where status = 'aside';
create index card_clearings_payment on card_clearings (payment_id, id) where payment_id is not null;
create index card_clearings_file on card_clearings (file_id, id);
grant select on card_clearings to teller_app;

insert into source_rights (source_type, kind, permits) values
  ('card_clearing', 'clearing', 'must_book'), ('card_clearing', 'refund', 'must_book');

-- what a clearing without an authorisation adds is read from the payment
update notification_types set enabled = true, updated_at = bank_now(),
    channels_allowed = channels_allowed || '{push}', channels_default = channels_default || '{push}',
    variables =
  '[{"name": "amount", "type": "money", "sample": "12.34 EUR", "personal": true},
    {"name": "merchant", "type": "text", "sample": "Corner shop", "personal": true},
    {"name": "card", "type": "text", "sample": "4242", "personal": true}]'
  where code = 'card_refunded';

insert into notification_templates
    (type_code, channel, locale, subject, body, status, created_at, updated_at)
  select 'card_refunded', t.*, 'live', bank_now(), bank_now() from (values
  ('in_app', 'en', 'Card payment refunded',
    '{{ merchant }} has given back {{ amount }} to your card ending in {{ card }}.'),
  ('email', 'en', 'Card payment refunded',
    E'{{ merchant }} has given back {{ amount }} to your card ending in {{ card }}. It is in your '
    'account.\n'),
  ('sms', 'en', null::text, 'Teller: {{ amount }} came back to your card ending in {{ card }}.'),
  ('push', 'en', 'Card payment refunded', 'Open the app to read it.'),
  ('in_app', 'de', 'Kartenzahlung erstattet',
    '{{ merchant }} hat {{ amount }} auf Ihre Karte mit den Endziffern {{ card }} erstattet.'),
  ('email', 'de', 'Kartenzahlung erstattet',
    E'{{ merchant }} hat {{ amount }} auf Ihre Karte mit den Endziffern {{ card }} erstattet. Das Geld '
    'ist auf Ihrem Konto.\n'),
  ('sms', 'de', null, 'Teller: {{ amount }} wurden auf Ihre Karte mit den Endziffern {{ card }} erstattet.'),
  ('push', 'de', 'Kartenzahlung erstattet', 'Zum Lesen bitte die App öffnen.')) t;

-- a database that has its triggers already has kept them by itself
insert into notification_template_versions (template_id, version, subject, body, status, created_at)
  select id, version, subject, body, status, created_at from notification_templates
    where type_code = 'card_refunded' on conflict do nothing;
