-- What the holder of a card has set beside the terms of its product.

create table card_terms (
  card_id uuid primary key references cards,
  -- [{type, mode, values}]
  controls jsonb not null default '[]' check (jsonb_typeof(controls) = 'array'),
  -- [{period, scope, amount, count}], amounts in minor units as text
  limits jsonb not null default '[]' check (jsonb_typeof(limits) = 'array'),
  updated_at timestamptz(3) not null default bank_now()
);
grant select on card_terms to teller_app;
