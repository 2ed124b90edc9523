/** The feed of ledger transactions, in an order that never changes afterwards. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { AccountId } from '../../../domain/ids.ts';
import { bigCount, bigint, boolean, json, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { LedgerTransaction } from '../../schema/ledger.ts';

const minorText = z.string().transform(BigInt);

/** One entry. `sequence` counts those of its account; `account` is a customer's number, `coins` for what a customer has of a coin, or the role of the bank's own account. */
const entry = z.strictObject({
  accountId: AccountId,
  account: z.string(),
  sequence: z.string(),
  part: z.string(),
  asset: z.string(),
  amount: minorText,
  balanceAfter: minorText,
});

const transaction = {
  ...columnsOf(LedgerTransaction, 'position', 'id', 'kind', 'sourceType', 'sourceId', 'reverses'),
  ...columnsOf(LedgerTransaction, 'bookedAt', 'valueDate', 'description'),
};
const event = { ...transaction, entries: json(z.array(entry)) };
/** A transaction with its entries. */
export type LedgerEventRow = RowOf<typeof event>;

const MOST_WAIT_MILLISECONDS = 1_000;
const PAUSE_MILLISECONDS = 10;

const lastPosition = statement({
  name: 'lastPosition',
  gives: { position: bigint() },
  sql: 'select case when is_called then last_value else 0 end as position from ledger_transactions_position_seq',
});
const nextTransaction = statement({
  name: 'nextTransaction',
  gives: { xmax: text() },
  sql: 'select pg_snapshot_xmax(pg_current_snapshot())::text as xmax',
});
const haveEnded = statement({
  name: 'haveEnded',
  takes: { xmax: text() },
  gives: { ended: boolean() },
  sql: 'select pg_snapshot_xmin(pg_current_snapshot()) >= $xmax::text::xid8 as ended',
});

/**
 * The position below which nothing can appear any more: a position is drawn before its transaction commits, so one that was drawn
 * earlier may become visible later. It is settled once every transaction that ran when it was the last one drawn has ended.
 * Undefined where one of them takes longer than a reader should wait; nothing is lost, the next reader finds it.
 */
export async function settledPosition(db: EntityManager): Promise<bigint | undefined> {
  const { position } = await lastPosition.one(db);
  // taken after it: whoever drew that position or an earlier one is below it
  const mark = await nextTransaction.one(db);
  const end = Date.now() + MOST_WAIT_MILLISECONDS;
  for (;;) {
    if ((await haveEnded.one(db, mark)).ended) return position;
    if (Date.now() > end) return undefined;
    await pause(PAUSE_MILLISECONDS);
  }
}

/** Transactions after one position and up to another. */
export const ledgerEvents = statement({
  name: 'ledgerEvents',
  takes: { after: transaction.position, upTo: transaction.position, most: bigCount() },
  gives: event,
  sql: `
    select ${selectList(transaction, 't')}, e.entries
      from ledger_transactions t
      cross join lateral (
        select jsonb_agg(jsonb_build_object('accountId', e.account_id, 'account', coalesce(a.number, a.role, 'coins'), 'sequence', e.seq::text,
                 'part', e.part, 'asset', e.asset, 'amount', e.amount::text, 'balanceAfter', e.balance_after::text) order by e.amount) as entries
          from ledger_entries e join accounts a on a.id = e.account_id where e.transaction_id = t.id) e
     where t.position > $after and t.position <= $upTo order by t.position limit $most`,
});
