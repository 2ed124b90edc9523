import { Migration } from '@mikro-orm/migrations';

/** Transfers and adjustments: one table of intents, moved through their states by functions that post and hold in the same transaction. */
export class Transfers extends Migration {
  override up(): void {
    this.addSql(tables);
    this.addSql(seeds);
  }
}

const tables = `
  create table transfer_types (
    code text primary key check (code ~ '^[a-z][a-z0-9_]{1,39}$'),
    name text not null check (char_length(name) between 1 and 80),
    enabled boolean not null default true,
    -- how long a transfer waits for its approval before it expires
    approval_seconds integer not null default 604800 check (approval_seconds between 1 and 31536000),
    updated_at timestamptz(3) not null default now()
  );

  -- a currency without a row here is not offered: nothing moves unexamined because a threshold was forgotten
  create table transfer_type_currencies (
    type_code text not null references transfer_types,
    asset text not null references assets,
    -- an amount above it waits for an administrator; the amount itself passes
    approval_above minor not null check (approval_above >= 0),
    primary key (type_code, asset)
  );

  create table transfer_quotes (
    id uuid primary key,
    requested_by uuid not null references users,
    type_code text not null references transfer_types,
    source_account_id uuid not null references accounts,
    destination_account_id uuid not null references accounts,
    asset text not null references assets,
    amount minor not null check (amount > 0),
    requires_approval boolean not null,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null,
    transfer_id uuid unique
  );
  create index transfer_quotes_unused on transfer_quotes (expires_at) where transfer_id is null;

  create table transfers (
    id uuid primary key,
    kind text not null check (kind in ('transfer', 'adjustment')),
    type_code text references transfer_types,
    status text not null check (status in ('pending_approval', 'executed', 'rejected', 'cancelled', 'expired', 'failed')),
    requested_by uuid not null references users,
    -- the customer whose process it is: the payer of a transfer, the owner of an adjusted account
    customer_id uuid not null references users,
    source_account_id uuid not null references accounts,
    destination_account_id uuid not null references accounts,
    asset text not null references assets,
    amount minor not null check (amount > 0),
    description text not null default '' check (char_length(description) <= 140),
    reason text check (char_length(reason) between 1 and 500),
    quote_id uuid unique references transfer_quotes,
    requires_approval boolean not null,
    hold_id uuid unique references holds,
    transaction_id uuid unique references ledger_transactions,
    failure_code text,
    decided_by uuid references users,
    decision_reason text check (char_length(decision_reason) <= 500),
    created_at timestamptz(3) not null default now(),
    approve_until timestamptz(3),
    finished_at timestamptz(3),
    foreign key (source_account_id, asset) references accounts (id, asset),
    foreign key (destination_account_id, asset) references accounts (id, asset),
    constraint transfers_two_accounts check (source_account_id <> destination_account_id),
    constraint transfers_kind_fits check ((kind = 'transfer') = (type_code is not null) and (kind = 'adjustment') = (reason is not null)),
    constraint transfers_executed_posted check ((status = 'executed') = (transaction_id is not null)),
    constraint transfers_finished check ((status = 'pending_approval') = (finished_at is null)),
    constraint transfers_pending_awaits check (status <> 'pending_approval' or (requires_approval and approve_until is not null)),
    constraint transfers_failed_says_why check ((status = 'failed') = (failure_code is not null)),
    -- four eyes, whatever program writes
    constraint transfers_four_eyes check (status <> 'executed' or not requires_approval
      or (decided_by is not null and decided_by <> requested_by and decided_by <> customer_id))
  );
  create index transfers_customer on transfers (customer_id, id);
  create index transfers_source on transfers (source_account_id, id);
  create index transfers_destination on transfers (destination_account_id, id);
  create index transfers_pending on transfers (id) where status = 'pending_approval';

  -- the moves that domain/transfers.ts knows; a test compares the two
  create table transfer_moves (from_status text not null, to_status text not null, primary key (from_status, to_status));
  insert into transfer_moves values
    ('pending_approval', 'executed'), ('pending_approval', 'rejected'), ('pending_approval', 'cancelled'),
    ('pending_approval', 'expired'), ('pending_approval', 'failed');

  create function check_transfer_change() returns trigger language plpgsql as $$
  begin
    if not exists (select from transfer_moves where from_status = old.status and to_status = new.status) then
      raise exception 'transfer % cannot go from % to %', old.id, old.status, new.status using errcode = 'restrict_violation';
    end if;
    if (new.id, new.kind, new.requested_by, new.customer_id, new.source_account_id, new.destination_account_id, new.asset, new.amount, new.requires_approval)
       is distinct from (old.id, old.kind, old.requested_by, old.customer_id, old.source_account_id, old.destination_account_id, old.asset, old.amount, old.requires_approval) then
      raise exception 'transfer % cannot be rewritten', old.id using errcode = 'restrict_violation';
    end if;
    return new;
  end $$;
  create trigger transfers_change before update on transfers for each row execute function check_transfer_change();
  create trigger transfers_never_deleted before delete on transfers for each row execute function refuse_change();

  grant select on transfer_types, transfer_type_currencies, transfer_quotes, transfers, transfer_moves to teller_app;
  grant insert, delete on transfer_quotes to teller_app;
  grant update (name, enabled, approval_seconds, updated_at) on transfer_types to teller_app;
  grant insert, update, delete on transfer_type_currencies to teller_app;
`;

const seeds = `
  insert into account_types (code, name, asset, openable_by) values
    ('current_eur', 'Current account in euro', 'EUR', 'customer'),
    ('current_usd', 'Current account in US dollar', 'USD', 'customer'),
    ('current_gbp', 'Current account in pound sterling', 'GBP', 'customer'),
    ('current_chf', 'Current account in Swiss franc', 'CHF', 'customer'),
    ('current_jpy', 'Current account in yen', 'JPY', 'customer'),
    ('current_kwd', 'Current account in Kuwaiti dinar', 'KWD', 'customer'),
    ('savings_eur', 'Savings account in euro', 'EUR', 'customer'),
    ('business_eur', 'Business account in euro', 'EUR', 'request');

  insert into transfer_types (code, name) values ('internal', 'Transfer inside the bank');
  insert into transfer_type_currencies values
    ('internal', 'EUR', 1000000), ('internal', 'USD', 1000000), ('internal', 'GBP', 1000000),
    ('internal', 'CHF', 1000000), ('internal', 'JPY', 1500000), ('internal', 'KWD', 3000000);
`;
