-- One counter for every limit, whatever it counts and over which period.

drop function if exists limit_check(uuid, uuid, uuid, text, text, numeric, date);
drop function if exists limit_counter(uuid, text, uuid, text, text, date);
drop function if exists limit_count(uuid, uuid, uuid, text, text, numeric, date);
-- counters are made anew from the transfers of their month
drop table limit_usage;

-- What a subject has used in a scope: since ever, and when it last did.
create table limit_counters (
  id bigint generated always as identity primary key,
  -- whose lock its callers hold
  owner_id uuid not null,
  -- what is counted, such as transfer/sepa
  scope text not null check (scope ~ '^[a-z][a-z0-9_]*(/[a-z0-9_]+)*$' and char_length(scope) <= 80),
  -- what amounts are minor units of
  unit text not null references assets,
  -- whose uses count together: a user, an account, a recipient, a card
  subject text not null check (subject ~ '^[a-z][a-z_]{1,39}$'),
  subject_id uuid not null,
  -- not whole where it is what something else was worth
  amount numeric not null default 0 check (amount >= 0),
  uses bigint not null default 0 check (uses >= 0),
  last_at timestamptz(3) not null default '-infinity',
  constraint limit_counters_one unique (owner_id, scope, unit, subject, subject_id)
) with (fillfactor = 70);
grant select on limit_counters to teller_app;

-- One use each, with what had been used before it: what was used since a moment is what is used now, less
-- what had been used before the first use since then.
create table limit_uses (
  counter_id bigint not null references limit_counters,
  at timestamptz(3) not null,
  -- of uses at the same moment the later one has the higher number
  id bigint generated always as identity,
  -- the payment, or whatever was counted
  source_id uuid not null,
  amount numeric not null check (amount >= 0),
  amount_before numeric not null check (amount_before >= 0),
  uses_before bigint not null check (uses_before >= 0),
  primary key (counter_id, at, id),
  constraint limit_uses_once unique (source_id, counter_id)
);
grant select on limit_uses to teller_app;
