/** The audit log: append-only, also for the tables' owner. What stands in it holds no secret, no code and no token. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { UserId } from '../../../domain/ids.ts';
import { rows } from '../../sql.ts';

type State = Readonly<Record<string, unknown>>;

/** Who did what to what, with what it was before and is after, as far as that is not a secret. */
export interface AuditEntry {
  /** Null where nobody is logged in, or a timer acts. */
  readonly actorId: UserId | null;
  readonly actorRole: 'customer' | 'admin' | 'system';
  /** `noun.verb_in_past`: `session.started`, `totp.removed`. */
  readonly action: string;
  readonly subjectType: string;
  readonly subjectId: string;
  readonly before?: State;
  readonly after?: State;
  readonly reason?: string;
  readonly requestId?: string;
  readonly address?: string;
}

/** Writes one entry, in the transaction of what it tells of. */
export async function record(em: EntityManager, entry: AuditEntry): Promise<void> {
  await rows(
    em,
    `insert into audit_log
       (actor_id, actor_role, action, subject_type, subject_id, before, after, reason, request_id, address)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      entry.actorId,
      entry.actorRole,
      entry.action,
      entry.subjectType,
      entry.subjectId,
      entry.before === undefined ? null : JSON.stringify(entry.before),
      entry.after === undefined ? null : JSON.stringify(entry.after),
      entry.reason ?? null,
      entry.requestId ?? null,
      entry.address ?? null,
    ],
  );
}
