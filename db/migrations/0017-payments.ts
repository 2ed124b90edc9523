import { Migration } from '@mikro-orm/migrations';
import { targetHolidays } from '../../domain/business-days.ts';

/** Transfers that leave the bank, change currency, cost something, are limited, wait for a window, or take another one back. */
export class Payments extends Migration {
  override up(): void {
    this.addSql(entries);
    this.addSql(types);
    this.addSql(beneficiaries);
    this.addSql(transfers);
    this.addSql(limits);
    this.addSql(moves);
    const days = targetHolidays(2025, 2060).map((day) => `('TARGET', '${day}')`);
    this.addSql(`insert into bank_holidays (calendar, day) values ${days.join(', ')}`);
    this.addSql(seeds);
  }
}

const entries = `
  -- what an entry is of its transaction: a customer sees a fee as a line of its own
  alter table ledger_entries add column part text not null default 'principal'
    constraint ledger_entries_part check (part in ('principal', 'fee', 'fx', 'spread'));

  alter table accounts drop constraint accounts_role_check;
  alter table accounts add constraint accounts_role_check
    check (role in ('adjustments', 'clearing', 'fees', 'fx_position', 'fx_spread', 'nostro', 'suspense'));
`;

const types = `
  alter table transfer_types
    -- whom it can reach: several types may share a reach
    add column reach text not null default 'internal' check (reach in ('own', 'internal', 'sepa', 'international')),
    -- after it, what leaves the bank waits for the next day; null: no such time
    add column cut_off time,
    add column cut_off_zone text not null default 'Europe/Berlin',
    add column business_days_only boolean not null default false,
    add constraint transfer_types_zone check (now() at time zone cut_off_zone is not null);
  grant update (cut_off, cut_off_zone, business_days_only) on transfer_types to teller_app;

  create table bank_holidays (
    calendar text not null,
    day date not null,
    primary key (calendar, day)
  );
  grant select on bank_holidays to teller_app;

  -- the first moment from 'at' on at which the rail takes this type
  create function rail_window(wanted_type text, at timestamptz) returns timestamptz
  language plpgsql stable set search_path = public, pg_temp as $$
  declare t transfer_types; moment timestamptz := at; here timestamp;
  begin
    select * into strict t from transfer_types where code = wanted_type;
    loop
      here := moment at time zone t.cut_off_zone;
      exit when (t.cut_off is null or here::time <= t.cut_off)
        and not (t.business_days_only and (extract(isodow from here) > 5
          or exists (select from bank_holidays h where h.calendar = 'TARGET' and h.day = here::date)));
      moment := (here::date + 1)::timestamp at time zone t.cut_off_zone;
    end loop;
    return moment;
  end $$;
`;

const beneficiaries = `
  create table beneficiaries (
    id uuid primary key default uuidv7(),
    user_id uuid not null references users,
    name text not null check (char_length(name) between 1 and 140),
    iban text check (iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$'),
    account text check (account ~ '^[A-Za-z0-9]{1,34}$'),
    bic text check (bic ~ '^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$'),
    country char(2) not null check (country ~ '^[A-Z]{2}$'),
    -- of all of the above: the same payee is one row
    fingerprint text not null,
    created_at timestamptz(3) not null default now(),
    unique (user_id, fingerprint),
    constraint beneficiaries_reachable check ((iban is null) <> (account is null))
  );
  create trigger beneficiaries_stand before update or delete on beneficiaries for each row execute function refuse_change();
  grant select, insert on beneficiaries to teller_app;
`;

const transfers = `
  alter table transfers disable trigger transfers_change;
  alter table transfers
    add column target_asset text references assets,
    add column target_amount minor check (target_amount > 0),
    add column fee_total minor not null default 0 check (fee_total >= 0),
    -- how fees and exchange came about
    add column price jsonb,
    -- what is booked, where that is more than source to destination: [{ at | account, asset, amount, part }]
    add column legs jsonb,
    add column beneficiary_id uuid references beneficiaries,
    add column due_at timestamptz(3),
    add column submitted_at timestamptz(3),
    add column return_code text check (char_length(return_code) <= 35),
    add column return_transaction_id uuid unique references ledger_transactions,
    add column reverses_id uuid references transfers,
    add column value_date date,
    add column limit_day date,
    add column approved_by uuid references users,
    add column approved_at timestamptz(3);
  update transfers set target_asset = asset, target_amount = amount,
    approved_by = case when status in ('executed', 'failed') then decided_by end,
    approved_at = case when status in ('executed', 'failed') then finished_at end;
  alter table transfers enable trigger transfers_change;
  alter table transfers
    drop constraint transfers_kind_check,
    drop constraint transfers_status_check,
    drop constraint transfers_destination_account_id_asset_fkey,
    drop constraint transfers_kind_fits,
    drop constraint transfers_executed_posted,
    drop constraint transfers_finished,
    drop constraint transfers_four_eyes,
    add constraint transfers_kind_check check (kind in ('transfer', 'adjustment', 'reversal')),
    add constraint transfers_status_check check (status in ('pending_approval', 'aml_review', 'queued', 'submitted', 'executed', 'returned',
      'rejected', 'cancelled', 'expired', 'failed')),
    add constraint transfers_destination_asset foreign key (destination_account_id, target_asset) references accounts (id, asset),
    add constraint transfers_kind_fits check ((kind = 'transfer') = (type_code is not null) and (kind <> 'transfer') = (reason is not null)
      and (kind = 'reversal') = (reverses_id is not null)),
    -- what is taken back with its fees is more than what had arrived
    add constraint transfers_same_asset check (asset <> target_asset or amount = target_amount or kind = 'reversal'),
    add constraint transfers_booked check (case
      when status in ('submitted', 'executed', 'returned') then transaction_id is not null
      when status = 'failed' then (transaction_id is null) = (return_transaction_id is null)
      else transaction_id is null end),
    add constraint transfers_returned check ((return_transaction_id is not null) = (status = 'returned' or (status = 'failed' and transaction_id is not null))),
    add constraint transfers_finished check ((status in ('pending_approval', 'aml_review', 'queued', 'submitted')) = (finished_at is null)),
    add constraint transfers_held check (status not in ('pending_approval', 'aml_review', 'queued') or kind <> 'transfer' or hold_id is not null),
    add constraint transfers_queued check (status <> 'queued' or due_at is not null);
  drop index transfers_pending;
  create index transfers_pending on transfers (id) where status in ('pending_approval', 'aml_review', 'queued', 'submitted');
  create index transfers_waiting on transfers (source_account_id) where status in ('pending_approval', 'aml_review', 'queued');
  create index transfers_beneficiary on transfers (customer_id, beneficiary_id, id) where beneficiary_id is not null;
  -- taken back at most once
  create unique index transfers_reversed_once on transfers (reverses_id) where status in ('pending_approval', 'aml_review', 'executed');

  alter table transfer_quotes
    add column target_asset text references assets,
    add column target_amount minor check (target_amount > 0),
    add column fee_total minor not null default 0 check (fee_total >= 0),
    add column price jsonb,
    add column beneficiary_id uuid references beneficiaries,
    alter column destination_account_id drop not null;
  update transfer_quotes set target_asset = asset, target_amount = amount;
  alter table transfer_quotes
    add constraint transfer_quotes_destination check ((destination_account_id is null) = (beneficiary_id is not null));
`;

const limits = `
  -- in minor units; null is no limit. The row with the highest level that the customer has reached counts.
  create table transfer_limits (
    type_code text not null references transfer_types,
    asset text not null references assets,
    kyc_level smallint not null check (kyc_level between 0 and 9),
    subject text not null check (subject in ('user', 'account', 'recipient')),
    single minor check (single >= 0),
    day minor check (day >= 0),
    month minor check (month >= 0),
    primary key (type_code, asset, subject, kyc_level)
  );
  grant select, insert, update, delete on transfer_limits to teller_app;

  -- what is used up of a limit: taken when a transfer opens, given back when it ends without the money having gone
  create table limit_usage (
    customer_id uuid not null references users,
    subject text not null,
    subject_id uuid not null,
    type_code text not null,
    asset text not null,
    day date not null,
    day_used minor not null check (day_used >= 0),
    month_used minor not null check (month_used >= 0),
    primary key (customer_id, subject, subject_id, type_code, asset)
  ) with (fillfactor = 70);
  grant select on limit_usage to teller_app;
`;

const moves = `
  insert into transfer_moves values
    ('pending_approval', 'aml_review'), ('pending_approval', 'queued'), ('pending_approval', 'submitted'),
    ('aml_review', 'queued'), ('aml_review', 'submitted'), ('aml_review', 'executed'), ('aml_review', 'rejected'),
    ('aml_review', 'cancelled'), ('aml_review', 'failed'),
    ('queued', 'aml_review'), ('queued', 'submitted'), ('queued', 'rejected'), ('queued', 'cancelled'), ('queued', 'failed'),
    ('submitted', 'executed'), ('submitted', 'returned'), ('submitted', 'failed'),
    ('executed', 'returned');

  create or replace function check_transfer_change() returns trigger language plpgsql as $$
  begin
    -- the rail's window may move on while it is waited for
    if old.status = 'queued' and to_jsonb(new) - 'due_at' = to_jsonb(old) - 'due_at' then
      return new;
    end if;
    if not exists (select from transfer_moves where from_status = old.status and to_status = new.status) then
      raise exception 'transfer % cannot go from % to %', old.id, old.status, new.status using errcode = 'restrict_violation';
    end if;
    if (new.id, new.kind, new.requested_by, new.customer_id, new.source_account_id, new.destination_account_id, new.asset, new.amount,
        new.target_asset, new.target_amount, new.fee_total, new.price, new.legs, new.beneficiary_id, new.reverses_id, new.value_date, new.requires_approval)
       is distinct from (old.id, old.kind, old.requested_by, old.customer_id, old.source_account_id, old.destination_account_id, old.asset, old.amount,
        old.target_asset, old.target_amount, old.fee_total, old.price, old.legs, old.beneficiary_id, old.reverses_id, old.value_date, old.requires_approval) then
      raise exception 'transfer % cannot be rewritten', old.id using errcode = 'restrict_violation';
    end if;
    return new;
  end $$;
`;

const seeds = `
  insert into transfer_types (code, name, reach, cut_off, business_days_only) values
    ('own', 'Transfer between own accounts', 'own', null, false),
    ('sepa', 'SEPA credit transfer', 'sepa', '16:00', true),
    ('international', 'International transfer', 'international', '14:00', true);
  insert into transfer_type_currencies (type_code, asset, approval_above)
    select 'own', asset, approval_above from transfer_type_currencies where type_code = 'internal';
  insert into transfer_type_currencies (type_code, asset, approval_above)
    select 'international', asset, approval_above from transfer_type_currencies where type_code = 'internal';
  insert into transfer_type_currencies values ('sepa', 'EUR', 1000000);

  insert into transfer_limits (type_code, asset, kyc_level, subject, single, day, month) values
    ('sepa', 'EUR', 0, 'user', 100000, 100000, 500000),
    ('sepa', 'EUR', 1, 'user', 1500000, 2500000, 10000000),
    ('sepa', 'EUR', 2, 'user', 10000000, 25000000, 100000000),
    ('international', 'EUR', 0, 'user', 100000, 100000, 200000),
    ('international', 'EUR', 1, 'user', 1000000, 1500000, 5000000),
    ('international', 'EUR', 2, 'user', 10000000, 25000000, 100000000);
`;
