import { Migration } from '@mikro-orm/migrations';

/**
 * The books as a feed. A transaction's position is drawn while all its accounts are locked, so of two that touch the same account
 * the one that was booked first stands first. The transaction is its own event: written with it, or not at all.
 */
export class LedgerEvents extends Migration {
  override up(): void {
    this.addSql(`
      alter table ledger_transactions add column position bigint generated always as identity;
      create unique index ledger_transactions_position on ledger_transactions (position);
      grant select on sequence ledger_transactions_position_seq to teller_app;
    `);
  }
}
