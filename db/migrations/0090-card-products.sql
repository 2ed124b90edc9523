-- What cards the bank offers: the payment systems that they belong to, the numbers that it may give them, and
-- its products. A product is never rewritten: a change is a new version, and cards keep the one that they
-- were issued under.

create table card_payment_systems (
  id uuid primary key default uuidv7(),
  code text not null unique check (code ~ '^[a-z][a-z0-9_]{1,39}$'),
  name text not null check (char_length(name) between 1 and 80),
  -- digits of a card number, the check digit among them
  pan_length smallint not null check (pan_length between 12 and 19),
  version integer not null default 1 check (version > 0),
  created_at timestamptz(3) not null default bank_now(),
  updated_at timestamptz(3) not null default bank_now(),
  constraint card_payment_systems_length unique (id, pan_length)
);
grant select, insert, update (name, version, updated_at) on card_payment_systems to teller_app;

-- Card numbers without their check digits, from the first one to the last one. No number is in two ranges.
create table card_iin_ranges (
  payment_system_id uuid not null,
  first bigint not null,
  last bigint not null,
  pan_length smallint not null,
  issued bigint not null default 0 check (issued >= 0),
  primary key (payment_system_id, first),
  foreign key (payment_system_id, pan_length) references card_payment_systems (id, pan_length),
  constraint card_iin_ranges_order check (first <= last),
  constraint card_iin_ranges_digits check (first >= power(10::numeric, pan_length - 2)
    and last < power(10::numeric, pan_length - 1)),
  constraint card_iin_ranges_left check (issued <= last - first + 1),
  constraint card_iin_ranges_apart exclude using gist (int8range(first, last, '[]') with &&)
);
grant select, insert (payment_system_id, first, last, pan_length), update (last), delete
  on card_iin_ranges to teller_app;

create table card_payment_system_versions (
  payment_system_id uuid not null references card_payment_systems,
  version integer not null check (version > 0),
  name text not null,
  -- [{first, last}], as text
  iin_ranges jsonb not null check (jsonb_typeof(iin_ranges) = 'array'),
  created_by uuid references users,
  created_at timestamptz(3) not null default bank_now(),
  primary key (payment_system_id, version)
);
grant select, insert on card_payment_system_versions to teller_app;

create table card_products (
  id uuid primary key default uuidv7(),
  code text not null unique check (code ~ '^[a-z][a-z0-9_]{1,39}$'),
  payment_system_id uuid not null references card_payment_systems,
  kind text not null check (kind in ('virtual', 'physical', 'single_use', 'merchant_locked')),
  -- of the accounts that its cards belong to, and of all its amounts
  asset text not null references assets,
  -- the newest one, under which cards are issued
  version integer not null default 1 check (version > 0),
  created_at timestamptz(3) not null default bank_now(),
  updated_at timestamptz(3) not null default bank_now()
);
create index card_products_payment_system on card_products (payment_system_id);
grant select, insert, update (version, updated_at) on card_products to teller_app;

-- Amounts in JSON are minor units as text.
create table card_product_versions (
  product_id uuid not null references card_products,
  version integer not null check (version > 0),
  name text not null check (char_length(name) between 1 and 80),
  enabled boolean not null,
  -- none is every type in the currency of the product
  account_type_ids jsonb not null check (jsonb_typeof(account_type_ids) = 'array'),
  validity_months smallint not null check (validity_months between 1 and 120),
  -- [{mcc, days, amount, percent}]: how long a payment is held, and how much for an unknown final amount
  hold_rules jsonb not null check (jsonb_typeof(hold_rules) = 'array'),
  -- [{type, mode, values, customer_may_loosen}]
  controls jsonb not null check (jsonb_typeof(controls) = 'array'),
  -- [{period, scope, amount, count, customer_may_loosen}]
  limits jsonb not null check (jsonb_typeof(limits) = 'array'),
  -- when a payment needs the customer: {mode, amount, count}
  sca jsonb not null check (jsonb_typeof(sca) = 'object'),
  pin_tries smallint not null check (pin_tries between 1 and 10),
  stand_in_limit minor not null check (stand_in_limit >= 0),
  created_by uuid references users,
  created_at timestamptz(3) not null default bank_now(),
  primary key (product_id, version)
);
grant select, insert on card_product_versions to teller_app;
