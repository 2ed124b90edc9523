import { Migration } from '@mikro-orm/migrations';

/** Transfers for later. A day that has come is written in the statement that moves to the next one, so none is done twice or left out. */
export class ScheduledTransfers extends Migration {
  override up(): void {
    this.addSql(`
      create table scheduled_transfers (
        id uuid primary key,
        user_id uuid not null references users,
        type_code text references transfer_types,
        source_account_id uuid not null references accounts,
        destination_account_id uuid references accounts,
        beneficiary_id uuid references beneficiaries,
        -- which side is fixed; the other one is priced on the day
        fixed_side text not null check (fixed_side in ('source', 'target')),
        amount minor not null check (amount > 0),
        asset text not null references assets,
        target_asset text not null references assets,
        description text not null default '' check (char_length(description) <= 140),
        starts_on date not null,
        -- null: once
        repeat_unit text check (repeat_unit in ('day', 'week', 'month')),
        repeat_every smallint not null default 1 check (repeat_every between 1 and 99),
        ends_on date check (ends_on >= starts_on),
        runs integer not null default 0,
        next_on date,
        status text not null default 'active' check (status in ('active', 'completed', 'cancelled')),
        created_at timestamptz(3) not null default now(),
        ended_at timestamptz(3),
        constraint scheduled_transfers_one_payee check ((destination_account_id is null) <> (beneficiary_id is null)),
        constraint scheduled_transfers_next check ((status = 'active') = (next_on is not null)),
        constraint scheduled_transfers_ended check ((status = 'active') = (ended_at is null))
      );
      create index scheduled_transfers_user on scheduled_transfers (user_id, id);
      create index scheduled_transfers_due on scheduled_transfers (next_on, id) where status = 'active';

      create table scheduled_transfer_runs (
        transfer_id uuid primary key,
        scheduled_transfer_id uuid not null references scheduled_transfers,
        due_on date not null,
        -- why it moved nothing
        refusal text,
        created_at timestamptz(3) not null default now(),
        unique (scheduled_transfer_id, due_on)
      );

      -- counted from the first day, so that the 31st comes back after a February
      create function next_occurrence(starts_on date, unit text, every int, nth int) returns date language sql immutable as $$
        select case unit
          when 'day' then starts_on + nth * every
          when 'week' then starts_on + 7 * nth * every
          when 'month' then (starts_on + make_interval(months => nth * every))::date end
      $$;

      grant select, insert on scheduled_transfers, scheduled_transfer_runs to teller_app;
      grant update (runs, next_on, status, ended_at) on scheduled_transfers to teller_app;
      grant update (refusal) on scheduled_transfer_runs to teller_app;
    `);
  }
}
