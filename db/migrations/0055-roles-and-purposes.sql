-- What house accounts and fee rules are for are rows, so that a part that is added later brings its own.

create table house_roles (
  code text primary key check (code ~ '^[a-z][a-z_]{1,39}$')
);
grant select on house_roles to teller_app;
insert into house_roles (code) values
  ('adjustments'), ('clearing'), ('fees'), ('fx_position'), ('fx_spread'), ('nostro'), ('suspense'),
  ('card_clearing'), ('card_fees'), ('interchange'), ('disputes'),
  ('custody'), ('custody_transit'), ('crypto_position'), ('network_fees'), ('dust');
alter table accounts drop constraint accounts_role_check;
alter table accounts add constraint accounts_role foreign key (role) references house_roles not valid;
alter table accounts validate constraint accounts_role;

create table fee_purposes (
  code text primary key check (code ~ '^[a-z][a-z_]{1,39}$'),
  -- there is no amount of which the fee could be a share
  is_flat boolean not null
);
grant select on fee_purposes to teller_app;
insert into fee_purposes (code, is_flat) values
  ('transfer', false), ('monthly', true), ('card_issue', true), ('card_replacement', true),
  ('card_cash', false), ('card_fx', false), ('crypto_order', false), ('crypto_withdrawal', false);
alter table fee_rules drop constraint fee_rules_purpose_check;
alter table fee_rules add constraint fee_rules_purpose foreign key (purpose) references fee_purposes;
