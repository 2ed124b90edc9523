import { Migration } from '@mikro-orm/migrations';

/** Indexes under the reads of the books: what a filter picks out of a long history is found, not searched for. */
export class Reads extends Migration {
  override up(): void {
    this.addSql(`
      -- debits are below zero: one index for the direction and for the amount
      create index ledger_entries_amount on ledger_entries (account_id, amount);

      -- what counts on another day than it was booked is rare, and all that a history by value dates needs beside the booked one
      create index ledger_entries_shifted on ledger_entries (account_id, value_date) include (amount, booked_at)
        where value_date <> (booked_at at time zone 'UTC')::date;

      -- whom a customer pays, without reading every payment
      create index transfers_recipients on transfers (customer_id, (coalesce(beneficiary_id, destination_account_id)), id)
        where kind = 'transfer' and status not in ('rejected', 'cancelled', 'expired', 'failed');

      create index transfers_status on transfers (kind, status, type_code);

      -- the bank's own accounts, for the trial balance
      create index accounts_house on accounts (role, asset) where kind = 'house';
    `);
  }
}
