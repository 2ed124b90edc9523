-- Card payments, the messages of the network that they are made of, and what is counted until a holder has to
-- prove who they are.

create table card_payments (
  id uuid primary key,
  -- the network's id of the payment
  network_id text not null unique check (char_length(network_id) between 1 and 64),
  card_id uuid not null references cards,
  owner_id uuid not null references users,
  account_id uuid not null references accounts,
  -- of all amounts but the merchant's
  asset text not null references assets,
  purpose text not null check (purpose in ('purchase', 'cash', 'account_check', 'refund', 'balance')),
  status text not null check (status in
    ('declined', 'checked', 'authorised', 'cleared', 'reversed', 'expired', 'refunded')),
  authorised minor not null default 0 check (authorised >= 0),
  -- the new total that a completion has named
  completed minor check (completed >= 0),
  reversed minor not null default 0 check (reversed >= 0),
  cleared minor not null default 0 check (cleared >= 0),
  refunded minor not null default 0 check (refunded >= 0),
  -- was held until its time was over
  lapsed minor not null default 0 check (lapsed >= 0),
  -- reversals that have overtaken their requests: so much of requests to come, or all of them
  overtaken minor not null default 0 check (overtaken >= 0),
  reversed_whole boolean not null default false,
  hold_id uuid unique references holds,
  hold_days smallint not null check (hold_days between 1 and 366),
  -- held for a sum that is not known yet, or on top of it
  hold_amount minor check (hold_amount >= 0),
  hold_percent numeric check (hold_percent >= 0),
  -- {id, name, city, country, mcc}
  merchant jsonb not null check (jsonb_typeof(merchant) = 'object'),
  merchant_amount minor,
  merchant_asset text,
  entry_mode text not null,
  -- of the last attempt, unless one was approved since: {reason, rule, limit, used, remaining}
  decline jsonb,
  declined_at timestamptz(3),
  -- [{code, at}]
  irregularities jsonb not null default '[]' check (jsonb_typeof(irregularities) = 'array'),
  created_at timestamptz(3) not null default bank_now(),
  updated_at timestamptz(3) not null default bank_now(),
  constraint card_payments_declined check ((decline is null) = (declined_at is null)),
  constraint card_payments_merchant_amount check ((merchant_amount is null) = (merchant_asset is null))
) with (fillfactor = 85);
create index card_payments_card on card_payments (card_id, id);
create index card_payments_owner on card_payments (owner_id, id);
create index card_payments_account on card_payments (account_id, id);
grant select on card_payments to teller_app;

-- What the network has asked or told, and what it was answered. A number, verification value or PIN is not
-- among it.
create table card_messages (
  id uuid primary key,
  type text not null check (type in ('0100', '0120', '0420')),
  stan text not null check (char_length(stan) between 1 and 32),
  rrn text not null check (char_length(rrn) between 1 and 32),
  network_id text not null,
  -- keyed hash of all that it said
  content_index bytea not null,
  -- null if the number belongs to no card
  payment_id uuid references card_payments,
  purpose text not null,
  amount minor,
  stood_in boolean not null default false,
  -- {merchant, merchant_amount, entry_mode, partial_ok, proof}
  said jsonb not null check (jsonb_typeof(said) = 'object'),
  reason text not null,
  approval_code text check (approval_code ~ '^[0-9A-F]{6}$'),
  approved minor,
  balance minor,
  asset text,
  at timestamptz(3) not null default bank_now(),
  constraint card_messages_key unique (type, stan, rrn)
);
create index card_messages_payment on card_messages (payment_id, id);
create index card_messages_original on card_messages (network_id, stan, rrn);
grant select on card_messages to teller_app;

-- Counts about a card: wrong verification values, and what was paid since its holder last gave a proof.
create table card_guards (
  card_id uuid primary key references cards,
  cvv_wrong_at timestamptz(3)[] not null default '{}',
  cvv_locked_until timestamptz(3),
  contactless_uses integer not null default 0 check (contactless_uses >= 0),
  contactless_amount minor not null default 0 check (contactless_amount >= 0),
  remote_uses integer not null default 0 check (remote_uses >= 0),
  remote_amount minor not null default 0 check (remote_amount >= 0)
) with (fillfactor = 70);
grant select on card_guards to teller_app;

insert into source_rights (source_type, kind, permits) values ('card_payment', 'hold', 'must_book');
