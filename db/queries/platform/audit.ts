/** The audit log: append-only, also for the tables' owner. What stands in it holds no secret, no code and no token. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Actor } from '../../../domain/actor.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { AuditLogEntry, type AuditState } from '../../schema/platform.ts';

/** What was done to what, with what it was before and is after, as far as that is not a secret. */
export interface Deed {
  /** `noun.verb_in_past`: `session.started`, `totp.removed`. */
  readonly action: string;
  /** What it was done to: the kind of thing and its id. */
  readonly subject: readonly [type: string, id: string];
  readonly before?: AuditState | undefined;
  readonly after?: AuditState | undefined;
  readonly reason?: string | null | undefined;
}

/** Writes one entry, in the transaction of what it tells of. */
export async function record(db: EntityManager, actor: Actor, deed: Deed): Promise<void> {
  const { action, subject, before = null, after = null, reason = null } = deed;
  const [subjectType, subjectId] = subject;
  const { requestId = null, address = null } = actor;
  const by = { actorId: actor.id, actorRole: actor.role, requestId, address };
  await insertAuditEntry.run(db, { ...by, action, subjectType, subjectId, before, after, reason });
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
