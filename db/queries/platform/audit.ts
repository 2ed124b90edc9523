/** The audit log: append-only, also for the tables' owner. What stands in it holds no secret, no code and no token. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { UserId } from '../../../domain/ids.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { AuditLogEntry, type AuditState } from '../../schema/platform.ts';

/** Who did what to what, with what it was before and is after, as far as that is not a secret. */
export interface AuditEntry {
  /** Null where nobody is logged in, or a timer acts. */
  readonly actorId: UserId | null;
  readonly actorRole: 'customer' | 'admin' | 'system';
  /** `noun.verb_in_past`: `session.started`, `totp.removed`. */
  readonly action: string;
  readonly subjectType: string;
  readonly subjectId: string;
  readonly before?: AuditState;
  readonly after?: AuditState;
  readonly reason?: string;
  readonly requestId?: string;
  readonly address?: string;
}

/** Writes one entry, in the transaction of what it tells of. */
export async function record(db: EntityManager, entry: AuditEntry): Promise<void> {
  const { before = null, after = null, reason = null, requestId = null, address = null } = entry;
  await insertAuditEntry.run(db, { ...entry, before, after, reason, requestId, address });
}

const insertAuditEntry = statement({
  name: 'insertAuditEntry',
  takes: columnsOf(
    AuditLogEntry,
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
  ),
  gives: {},
  sql: `
    insert into audit_log
      (actor_id, actor_role, action, subject_type, subject_id, before, after, reason, request_id, address)
    values ($actorId, $actorRole, $action, $subjectType, $subjectId, $before, $after, $reason, $requestId, $address)`,
});
