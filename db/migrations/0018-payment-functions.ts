import { Migration } from '@mikro-orm/migrations';
import { legFunctions } from './0018-payment-functions/legs.ts';
import { ledgerPost } from './0018-payment-functions/ledger-post.ts';
import { limitFunctions } from './0018-payment-functions/limits.ts';
import { transferDecide } from './0018-payment-functions/transfer-decide.ts';
import { transferOpen, transfersOpen } from './0018-payment-functions/transfer-open.ts';

/** How payments begin, wait and end: limits, holds and postings in one transaction and one round trip each. */
export class PaymentFunctions extends Migration {
  override up(): void {
    this.addSql(columns);
    this.addSql(`
      drop function transfers_open(jsonb);
      drop function transfer_open(jsonb);
      drop function transfer_decide(uuid, text, uuid, text, uuid);
      drop function post_transfer(uuid, text, uuid, uuid, text, numeric, text);
    `);
    for (const statement of [
      ledgerPost,
      ...legFunctions,
      ...limitFunctions,
      transferOpen,
      transfersOpen,
      transferDecide,
    ])
      this.addSql(statement);
  }
}

const columns = `
  alter table transfers
    alter column target_asset set not null,
    alter column target_amount set not null,
    -- four eyes, whatever program writes
    add constraint transfers_four_eyes check (not requires_approval or status in ('pending_approval', 'rejected', 'cancelled', 'expired')
      or (approved_by is not null and approved_by <> requested_by and approved_by <> customer_id));
  alter table transfer_quotes
    alter column target_asset set not null,
    alter column target_amount set not null;
`;
