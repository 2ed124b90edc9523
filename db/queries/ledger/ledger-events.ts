/** The feed of ledger transactions, in an order that never changes afterwards. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { setTimeout as pause } from 'node:timers/promises';
import type { AccountId } from '../../../domain/ids.ts';
import { row, rows } from '../../sql.ts';

/** One entry; amounts in minor units. `sequence` counts the entries of its account. */
export interface EventEntry {
  readonly account_id: AccountId;
  /** A customer's account number, or the role of the bank's own account. */
  readonly account: string;
  readonly sequence: string;
  readonly part: string;
  readonly asset: string;
  readonly amount: string;
  readonly balance_after: string;
}

export interface LedgerEventRow {
  readonly position: string;
  readonly id: string;
  readonly kind: string;
  readonly source_type: string;
  readonly source_id: string;
  readonly reverses: string | null;
  readonly booked_at: Date;
  readonly value_date: string;
  readonly description: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly entries: readonly EventEntry[];
}

const MOST_WAIT_MILLISECONDS = 1_000;
const PAUSE_MILLISECONDS = 10;

/**
 * The position below which nothing can appear any more: a position is drawn before its transaction commits, so one that was drawn
 * earlier may become visible later. It is settled once every transaction that ran when it was the last one drawn has ended.
 * Undefined where one of them takes longer than a reader should wait; nothing is lost, the next reader finds it.
 */
export async function settledPosition(em: EntityManager): Promise<string | undefined> {
  const drawn = await row<{ position: string }>(
    em,
    'select case when is_called then last_value else 0 end as position from ledger_transactions_position_seq',
  );
  // taken after it: whoever drew that position or an earlier one is below it
  const mark = await row<{ xmax: string }>(
    em,
    'select pg_snapshot_xmax(pg_current_snapshot())::text as xmax',
  );
  const end = Date.now() + MOST_WAIT_MILLISECONDS;
  for (;;) {
    const ended = await row<{ yes: boolean }>(
      em,
      'select pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 as yes',
      [mark?.xmax],
    );
    if (ended?.yes === true) return drawn?.position;
    if (Date.now() > end) return undefined;
    await pause(PAUSE_MILLISECONDS);
  }
}

/** Transactions after one position and up to another. */
export function ledgerEvents(
  em: EntityManager,
  after: string,
  upTo: string,
  most: number,
): Promise<LedgerEventRow[]> {
  return rows(
    em,
    `select t.position, t.id, t.kind, t.source_type, t.source_id, t.reverses, t.booked_at, t.value_date, t.description, t.metadata, e.entries
       from ledger_transactions t
       cross join lateral (
         select jsonb_agg(jsonb_build_object('account_id', e.account_id, 'account', coalesce(a.number, a.role), 'sequence', e.seq::text,
                  'part', e.part, 'asset', e.asset, 'amount', e.amount::text, 'balance_after', e.balance_after::text) order by e.amount) as entries
           from ledger_entries e join accounts a on a.id = e.account_id where e.transaction_id = t.id) e
      where t.position > $1::bigint and t.position <= $2::bigint order by t.position limit $3`,
    [after, upTo, most],
  );
}
