-- Buying and selling coins: quotes, which say what is paid and got, and the orders that use them.

create table crypto_quotes (
  id uuid primary key,
  user_id uuid not null references users,
  side text not null check (side in ('buy', 'sell')),
  -- the bank account that pays, or is paid
  account_id uuid not null references accounts,
  currency text not null references assets,
  asset text not null references crypto_assets,
  -- what is spent on coins, or got for them before the fee; and the fee
  gross minor not null check (gross > 0),
  fee minor not null check (fee >= 0 and fee < gross),
  coins minor not null check (coins > 0),
  -- fees and exchange (domain/pricing/pricing.ts)
  price jsonb not null,
  price_id uuid not null references used_prices,
  -- units of the currency for one whole coin, in the middle
  mid_price numeric not null check (mid_price > 0),
  -- gross in minor units of the base currency, not rounded
  worth numeric not null check (worth > 0),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index crypto_quotes_expiry on crypto_quotes (expires_at);
grant select, delete on crypto_quotes to teller_app;

create table crypto_orders (
  id uuid primary key,
  quote_id uuid not null unique references crypto_quotes,
  user_id uuid not null references users,
  status text not null check (status in ('open', 'filled', 'failed')),
  hold_id uuid not null references holds,
  transaction_id uuid unique references ledger_transactions,
  failure text check (failure in ('account_closed', 'account_blocked', 'insufficient_funds', 'balance_limit',
    'debits_stopped')),
  created_at timestamptz(3) not null,
  finished_at timestamptz(3),
  constraint crypto_orders_end check ((status = 'open') = (finished_at is null)
    and (status = 'filled') = (transaction_id is not null) and (status = 'failed') = (failure is not null))
);
create index crypto_orders_user on crypto_orders (user_id, id);
create index crypto_orders_open on crypto_orders (id) where status = 'open';
grant select on crypto_orders to teller_app;

update notification_types set enabled = true, updated_at = bank_now(),
    channels_allowed = channels_allowed || '{push}', channels_default = channels_default || '{push}',
    variables =
  '[{"name": "coins", "type": "text", "sample": "0.01500000 BTC", "personal": true},
    {"name": "money", "type": "text", "sample": "900.00 EUR", "personal": true},
    {"name": "state", "type": "text", "sample": "bought", "personal": false}]'
  where code = 'crypto_order';

with news(locale, text) as (values
  ('en', '{% case state %}{% when ''bought'' %}You have bought {{ coins }} for {{ money }}.'
    '{% when ''sold'' %}You have sold {{ coins }} for {{ money }}.'
    '{% else %}Your order of {{ coins }} could not be carried out. What it held is free again.{% endcase %}'),
  ('de', '{% case state %}{% when ''bought'' %}Sie haben {{ coins }} für {{ money }} gekauft.'
    '{% when ''sold'' %}Sie haben {{ coins }} für {{ money }} verkauft.'
    '{% else %}Ihr Auftrag über {{ coins }} konnte nicht ausgeführt werden. Der Betrag ist wieder frei.'
    '{% endcase %}'))
insert into notification_templates
    (type_code, channel, locale, subject, body, status, created_at, updated_at)
  select 'crypto_order', t.channel, t.locale, t.subject, replace(t.body, '<news>', n.text), 'live',
         bank_now(), bank_now()
    from (values
  ('in_app', 'en', 'Your order of coins', '<news>'),
  ('email', 'en', 'Your order of coins', E'<news>\n'),
  ('sms', 'en', null::text, 'Teller: <news>'),
  ('push', 'en', 'Your order of coins', 'Open the app to read it.'),
  ('in_app', 'de', 'Ihr Auftrag', '<news>'),
  ('email', 'de', 'Ihr Auftrag', E'<news>\n'),
  ('sms', 'de', null, 'Teller: <news>'),
  ('push', 'de', 'Ihr Auftrag', 'Zum Lesen bitte die App öffnen.')) t(channel, locale, subject, body)
    join news n on n.locale = t.locale;

-- a database that has its triggers already has kept them by itself
insert into notification_template_versions (template_id, version, subject, body, status, created_at)
  select id, version, subject, body, status, created_at from notification_templates
    where type_code = 'crypto_order' on conflict do nothing;
