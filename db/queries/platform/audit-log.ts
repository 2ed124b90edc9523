/** The audit log, read. */
import { UserId, type AuditEntryId } from '../../../domain/ids.ts';
import type { RowOf } from '../../rows/columns.ts';
import { LAST_ID, composedStatement, narrowedTo } from '../../rows/composed.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { AuditLogEntry } from '../../schema/platform.ts';

const entry = columnsOf(
  AuditLogEntry,
  'id',
  'at',
  'actorId',
  'actorRole',
  'action',
  'subjectType',
  'subjectId',
  'before',
  'after',
  'reason',
  'requestId',
  'address',
);
/** An entry as it is read. */
export type AuditRow = RowOf<typeof entry>;

/** What the list is narrowed to; what is left out does not narrow. */
export interface AuditFilter {
  readonly actor?: UserId | undefined;
  readonly action?: string | undefined;
  readonly subjectType?: string | undefined;
  readonly subjectId?: string | undefined;
  /** Inclusive. */
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
}

/** So many entries at most, from below `before`, or from the newest if it is null. */
export interface AuditPage {
  readonly filter: AuditFilter;
  readonly before: AuditEntryId | null;
  readonly most: number;
}

/** No transaction lasts longer, and `at` is its beginning. */
const LONGEST_TRANSACTION_MILLISECONDS = 3_600_000;
const LAST_MILLISECOND_OF_48_BITS = 2 ** 48 - 1;

/** A page of the log, newest first. */
export const pageOfAudit = composedStatement({
  name: 'pageOfAudit',
  gives: entry,
  compose: ({ filter, before, most }: AuditPage, bind) => {
    const conditions = {
      'l.actor_id =': filter.actor,
      'l.action =': filter.action,
      'l.subject_type =': filter.subjectType,
      'l.subject_id =': filter.subjectId,
      'l.at >=': filter.from,
      'l.at <': filter.to,
      // ids are made in the order of time, so the index that the list is read by finds where a span begins and ends
      'l.id >=': filter.from && firstIdAt(filter.from.getTime()),
      'l.id <=': filter.to && firstIdAt(filter.to.getTime() + LONGEST_TRANSACTION_MILLISECONDS),
      'l.id <': before ?? LAST_ID,
    };
    return `
      select ${selectList(entry, 'l')} from audit_log l
       where ${narrowedTo(conditions, bind)} order by l.id desc limit ${bind(most)}`;
  },
  examples: [
    { filter: {}, before: null, most: 1 },
    {
      filter: {
        actor: UserId.parse(LAST_ID),
        action: 'user.blocked',
        subjectType: 'user',
        subjectId: LAST_ID,
        from: new Date(0),
        to: new Date(0),
      },
      before: null,
      most: 1,
    },
  ],
});

/** The least UUIDv7 of a moment: RFC 9562 §5.7, 48 bits of Unix time in milliseconds first. */
function firstIdAt(milliseconds: number): string {
  const within = Math.min(Math.max(milliseconds, 0), LAST_MILLISECOND_OF_48_BITS);
  const hex = within.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
