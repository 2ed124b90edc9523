/** The audit log, read. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AuditEntryId, UserId } from '../../../domain/ids.ts';
import { rows } from '../../sql.ts';

export interface AuditRow {
  readonly id: AuditEntryId;
  readonly at: Date;
  readonly actor_id: UserId | null;
  readonly actor_role: 'customer' | 'admin' | 'system';
  readonly action: string;
  readonly subject_type: string;
  readonly subject_id: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly reason: string | null;
  readonly request_id: string | null;
  readonly address: string | null;
}

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

const NEWEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** No transaction lasts longer, and `at` is its beginning. */
const LONGEST_TRANSACTION_MILLISECONDS = 3_600_000;

/** A page of the log, newest first, from below `before`. */
export function pageOfAudit(
  em: EntityManager,
  filter: AuditFilter,
  before: AuditEntryId | null,
  most: number,
): Promise<AuditRow[]> {
  const conditions: string[] = [];
  const values: unknown[] = [];
  const add = (condition: string, value: unknown): void => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(`${condition} $${values.length}`);
  };
  add('actor_id =', filter.actor);
  add('action =', filter.action);
  add('subject_type =', filter.subjectType);
  add('subject_id =', filter.subjectId);
  add('at >=', filter.from);
  add('at <', filter.to);
  // ids are made in the order of time, so the index that the list is read by finds where a span begins and ends
  add('id >=', filter.from && firstIdAt(filter.from.getTime()));
  add('id <', filter.to && firstIdAt(filter.to.getTime() + LONGEST_TRANSACTION_MILLISECONDS));
  add('id <', before ?? NEWEST);
  return rows(
    em,
    `select id, at, actor_id, actor_role, action, subject_type, subject_id, before, after, reason, request_id, address
       from audit_log where ${conditions.join(' and ')} order by id desc limit $${values.length + 1}`,
    [...values, most],
  );
}

const LAST_MILLISECOND_OF_48_BITS = 2 ** 48 - 1;

/** The least UUIDv7 of a moment: RFC 9562 §5.7, 48 bits of Unix time in milliseconds first. */
function firstIdAt(milliseconds: number): string {
  const within = Math.min(Math.max(milliseconds, 0), LAST_MILLISECOND_OF_48_BITS);
  const hex = within.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
