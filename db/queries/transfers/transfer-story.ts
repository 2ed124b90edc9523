/** The whole story of a transfer: who decided what, and what was booked for it. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { TransferId } from '../../../domain/ids.ts';
import { ownJson, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { LedgerEntry, LedgerTransaction } from '../../schema/ledger.ts';
import { AuditLogEntry } from '../../schema/platform.ts';

const event = {
  ...columnsOf(AuditLogEntry, 'at', 'actorId', 'actorRole', 'action', 'reason'),
  after: ownJson<{ readonly status?: string; readonly code?: string }>().nullable(),
};
/** Who did what with a transfer. */
export type TransferEvent = RowOf<typeof event>;

const transferEvents = statement({
  name: 'transferEvents',
  takes: columnsOf(AuditLogEntry, 'subjectId'),
  gives: event,
  sql: `
    select ${selectList(event, 'l')} from audit_log l
     where l.subject_type = 'transfer' and l.subject_id = $subjectId order by l.id`,
});

const { id, kind } = columnsOf(LedgerTransaction, 'id', 'kind');
const line = columnsOf(LedgerEntry, 'accountId', 'part', 'asset', 'amount', 'bookedAt', 'valueDate');
const entry = { transactionId: id, kind, account: text(), ...line };
/** An entry that a transfer has booked. `account` is a customer's account number, or the role of the bank's own account. */
export type TransferEntry = RowOf<typeof entry>;

const transferEntries = statement({
  name: 'transferEntries',
  takes: columnsOf(LedgerTransaction, 'sourceId'),
  gives: entry,
  sql: `
    select x.id as transaction_id, x.kind, coalesce(a.number, a.role) as account, ${selectList(line, 'e')}
      from ledger_transactions x join ledger_entries e on e.transaction_id = x.id join accounts a on a.id = e.account_id
     where x.source_type = 'transfer' and x.source_id = $sourceId order by x.booked_at, x.id, e.amount`,
});

/** What happened to a transfer. */
export interface TransferStory {
  /** Oldest first. */
  readonly events: readonly TransferEvent[];
  readonly entries: readonly TransferEntry[];
}

/** All that was decided on a transfer, and all that was booked for it. */
export async function storyOf(db: EntityManager, id: TransferId): Promise<TransferStory> {
  const [events, entries] = await Promise.all([
    transferEvents.all(db, { subjectId: id }),
    transferEntries.all(db, { sourceId: id }),
  ]);
  return { events, entries };
}
