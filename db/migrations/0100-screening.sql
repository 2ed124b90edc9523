-- Names are screened: who, against which state of the lists, what was found, and whom people know to be
-- somebody else.

-- it takes what screening has found
drop function if exists transfer_judge(transfers, uuid, int);
drop function if exists transfer_carry_out(uuid, text, text);

-- How often lists have taken effect, and up to where everybody has been compared with what they changed.
create table screening_state (
  singleton boolean primary key default true check (singleton),
  epoch bigint not null default 0,
  swept_epoch bigint not null default 0,
  -- one process at a time screens beside payments; by the machine's clock
  busy_until timestamptz(3),
  constraint screening_state_order check (swept_epoch between 0 and epoch)
);
insert into screening_state default values;
grant select on screening_state to teller_app;

-- the change of the lists that a version was
alter table screening_list_loads add column epoch bigint check ((epoch is null) = (loaded_at is null));
update screening_list_loads l set epoch = n.n
  from (select x.id, row_number() over (order by x.loaded_at, x.id) as n from screening_list_loads x
    where x.status = 'loaded') n where n.id = l.id;
update screening_state set epoch = (select count(*) from screening_list_loads where status = 'loaded');
create unique index screening_list_loads_epoch on screening_list_loads (epoch) where epoch is not null;

-- Everybody who is screened: customers, and whom they pay outside the bank.
create table screening_parties (
  party_type text not null check (party_type in ('customer', 'beneficiary')),
  party_id uuid not null,
  customer_id uuid not null references users,
  -- the state of the lists with which the present name was compared; null until it was
  epoch bigint,
  screened_at timestamptz(3),
  primary key (party_type, party_id),
  constraint screening_parties_screened check ((epoch is null) = (screened_at is null))
);
create index screening_parties_due on screening_parties (party_type, party_id) where epoch is null;
grant select on screening_parties to teller_app;
insert into screening_parties (party_type, party_id, customer_id)
  select 'customer', u.id, u.id from users u where u.role = 'customer'
  union all select 'beneficiary', b.id, b.user_id from beneficiaries b;

-- A name that could be an entry of a list. Both are kept as they were then.
create table screening_hits (
  id uuid primary key default uuidv7(),
  at timestamptz(3) not null default bank_now(),
  flag_id uuid not null references aml_flags,
  party_type text not null check (party_type in ('customer', 'beneficiary')),
  party_id uuid not null,
  customer_id uuid not null references users,
  entry_id uuid not null references screening_entries,
  source text not null,
  list_version integer not null,
  -- by which the list knows and knew the entry
  refs text[] not null check (cardinality(refs) > 0),
  score integer not null check (score between 0 and 100),
  asked jsonb not null,
  entry jsonb not null,
  -- what is different from what somebody had cleared
  changed text[] not null default '{}',
  explanation jsonb not null,
  constraint screening_hits_flag unique (flag_id)
);
create index screening_hits_pair on screening_hits (customer_id, entry_id);
grant select on screening_hits to teller_app;

-- Pairs of which somebody has decided that they are two people. One counts for as long as both are described
-- as they were.
create table screening_clearances (
  flag_id uuid primary key references aml_flags,
  party_type text not null check (party_type in ('customer', 'beneficiary')),
  party_id uuid not null,
  customer_id uuid not null references users,
  source text not null,
  refs text[] not null check (cardinality(refs) > 0),
  asked jsonb not null,
  entry jsonb not null,
  cleared_by uuid not null references users,
  created_at timestamptz(3) not null default bank_now()
);
create index screening_clearances_customer on screening_clearances (customer_id, source);
grant select on screening_clearances to teller_app;

-- flags about whom a customer pays
alter table aml_flags drop constraint aml_flags_subject_type_check;
alter table aml_flags add constraint aml_flags_subject_type_check check (subject_type in ('transfer',
  'card_payment', 'crypto_withdrawal', 'crypto_deposit', 'customer', 'account', 'kyc_application',
  'kyb_application', 'beneficiary'));
-- whoever is on a list stays held
create index aml_flags_listed on aml_flags (subject_id) where kind = 'sanctions' and status = 'confirmed';
