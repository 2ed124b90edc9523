/** The movements of an account, newest first. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountId } from '../../domain/ids.ts';
import { rows } from '../sql.ts';

/** One entry with its transaction and the other side's account number (none where the other side is the bank). */
export interface EntryRow {
  readonly seq: string;
  readonly asset: string;
  readonly amount: string;
  readonly balance_after: string;
  readonly booked_at: Date;
  readonly value_date: string;
  readonly transaction_id: string;
  readonly kind: string;
  readonly description: string;
  readonly source_type: string;
  readonly source_id: string;
  readonly counterparty_number: string | null;
}

const LAST = '9223372036854775807';

/** A page of entries below `before` (an entry's sequence number); the cost does not depend on the length of the history. */
export function pageOfEntries(
  em: EntityManager,
  account: AccountId,
  before: string | null,
  most: number,
): Promise<EntryRow[]> {
  return rows(
    em,
    `select e.seq, e.asset, e.amount, e.balance_after, e.booked_at, e.value_date, t.id as transaction_id, t.kind, t.description,
            t.source_type, t.source_id, other.number as counterparty_number
       from ledger_entries e
       join ledger_transactions t on t.id = e.transaction_id
       left join lateral (select a.number from ledger_entries o join accounts a on a.id = o.account_id
                           where o.transaction_id = e.transaction_id and o.account_id <> e.account_id
                           order by a.number nulls last limit 1) other on true
      where e.account_id = $1 and e.seq < $2::bigint order by e.seq desc limit $3`,
    [account, before ?? LAST, most],
  );
}
