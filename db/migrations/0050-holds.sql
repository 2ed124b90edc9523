-- Holds that change, are captured in parts and expire; and sources that may do more than others, such as book
-- what has happened whatever the account says.

alter table holds
  -- booked so far; the rest of the amount is held while the hold is open
  add column captured minor not null default 0,
  -- released by the clock then; null: never
  add column expires_at timestamptz(3),
  drop constraint holds_status_check;
alter table holds
  add constraint holds_status_check check (status in ('open', 'captured', 'released', 'expired')) not valid;
alter table holds validate constraint holds_status_check;
-- holds of before have ended and refuse every change
alter table holds disable trigger user;
update holds set captured = amount where status = 'captured';
alter table holds enable trigger user;
alter table holds add constraint holds_captured check (captured between 0 and amount) not valid;
alter table holds validate constraint holds_captured;
create index holds_due on holds (expires_at) where status = 'open' and expires_at is not null;

-- What a source may do beyond others, by the kind of its ledger transaction, or 'hold'.
create table source_rights (
  source_type text not null,
  kind text not null,
  -- must_book: what it says has happened, and is booked or held whatever balance and status say;
  -- exceed_hold: it may book more than it has held
  permits text not null check (permits in ('must_book', 'exceed_hold')),
  primary key (source_type, kind, permits)
);
grant select on source_rights to teller_app;
insert into source_rights (source_type, kind, permits) values ('transfer', 'return', 'must_book');

alter table accounts
  -- how far below its limit the account is because something had to be booked or held
  add column unarranged minor not null default 0,
  add column unarranged_since timestamptz(3),
  drop constraint accounts_never_overdrawn;
alter table accounts
  add constraint accounts_unarranged check
    (unarranged >= 0 and (unarranged > 0) = (unarranged_since is not null)) not valid,
  add constraint accounts_never_overdrawn check (kind = 'house'
    or posted - held + unarranged >= - greatest(overdraft_limit::numeric, 0)) not valid;
alter table accounts validate constraint accounts_unarranged;
alter table accounts validate constraint accounts_never_overdrawn;
create index accounts_unarranged on accounts (id) where unarranged > 0;

-- a transfer posts by post_transfer
drop function if exists post_legs;
