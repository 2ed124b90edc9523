-- How great the risk is that a customer launders money: by factors that the bank weighs, or by an override.
alter table bank_settings
  -- countries, ISO 3166-1 alpha-2, whose customers are always a high risk
  add column high_risk_countries text[] not null default '{}',
  -- points from which on a customer is a medium and a high risk
  add column risk_points smallint[] not null default '{20,50}'
    check (cardinality(risk_points) = 2 and risk_points[1] between 1 and risk_points[2] - 1);

create table risk_factors (
  code text primary key check (code ~ '^[a-z][a-z_]{1,39}$'),
  category text not null check (category in ('customer', 'geography', 'ownership', 'product', 'behaviour')),
  points smallint not null check (points between 0 and 100),
  -- whomever it is true of is at least such a risk
  at_least text check (at_least in ('medium', 'high')),
  -- the law asks for that, whatever the bank thinks
  by_law boolean not null default false,
  -- from what number on it is true, where it counts something
  threshold numeric check (threshold > 0),
  -- of what it is true, where it goes by a list
  entries text[] check (cardinality(entries) <= 500),
  enabled boolean not null default true,
  updated_by uuid references users,
  updated_at timestamptz(3) not null default bank_now(),
  constraint risk_factors_by_law check (not by_law or enabled and at_least is not distinct from 'high')
);
grant select on risk_factors to teller_app;
insert into risk_factors (code, category, points, at_least, by_law, threshold, entries) values
  ('not_identified', 'customer', 0, 'medium', false, null, null),
  ('politically_exposed', 'customer', 50, 'high', true, null, null),
  ('suspected_forgery', 'customer', 50, 'high', false, null, null),
  ('high_risk_country', 'geography', 50, 'high', true, null, null),
  ('industry', 'customer', 20, null, false, null, '{46.48,47.77,56.30,68.31,92}'),
  ('new_company', 'customer', 10, null, false, 365, null),
  ('owned_by_companies', 'ownership', 10, null, false, null, null),
  ('owned_abroad', 'ownership', 15, null, false, null, null),
  ('account_types', 'product', 10, null, false, null, '{}'),
  ('high_turnover', 'behaviour', 15, null, false, 100000, null),
  ('turnover_unexpected', 'behaviour', 20, null, false, 2, null),
  ('high_risk_payments', 'behaviour', 20, null, false, 1, null),
  ('suspicions', 'behaviour', 20, null, false, 3, null),
  ('suspicion_confirmed', 'behaviour', 50, 'high', false, null, null);

-- How each customer is rated now. A customer without a row, or whose row was never assessed, is a medium
-- risk.
create table customer_risks (
  customer_id uuid primary key references users,
  -- by the factors that are true of the customer: [{code, points, evidence}]
  factors jsonb not null default '[]' check (jsonb_typeof(factors) = 'array'),
  points integer not null default 0 check (points >= 0),
  rated text not null default 'medium' check (rated in ('low', 'medium', 'high')),
  -- no override goes below this
  least_by_law text not null default 'low' check (least_by_law in ('low', 'high')),
  override text check (override in ('low', 'medium', 'high')),
  override_reason text check (char_length(override_reason) between 1 and 2000),
  override_until timestamptz(3),
  override_by uuid references users,
  -- what was in force at the last assessment, and since when
  level text not null default 'medium' check (level in ('low', 'medium', 'high')),
  level_since timestamptz(3) not null default bank_now(),
  -- -infinity: something has changed since
  assessed_at timestamptz(3) not null default '-infinity',
  constraint customer_risks_override check (num_nulls(override, override_reason, override_until, override_by)
    in (0, 4))
);
create index customer_risks_assessed on customer_risks (assessed_at, customer_id);
create index customer_risks_override on customer_risks (override_until) where override is not null;
grant select on customer_risks to teller_app;

-- How it came to that. Never rewritten.
create table customer_risk_changes (
  id uuid primary key default uuidv7(),
  customer_id uuid not null references users,
  at timestamptz(3) not null default bank_now(),
  level text not null,
  rated text not null,
  points integer not null,
  factors jsonb not null,
  override text,
  override_reason text,
  override_until timestamptz(3),
  override_by uuid
);
create index customer_risk_changes_customer on customer_risk_changes (customer_id, id);
grant select on customer_risk_changes to teller_app;

-- those whom the bank knows already are assessed as soon as a worker runs
insert into customer_risks (customer_id)
  select u.id from users u where exists (select from accounts a where a.owner_id = u.id)
    or exists (select from kyc_applications k where k.user_id = u.id);

-- functions of other names take their places
drop function if exists aml_customer_risk(uuid);
drop function if exists compliance_submit(text, uuid, uuid, jsonb, text[], int, boolean, int);
