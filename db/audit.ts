/** The audit log: who did what to what, before and after. Append-only; PostgreSQL refuses changes. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { UserId } from '../domain/ids.ts';
import { rows } from './sql.ts';

/** One event. `before` and `after` hold what changed: never a secret, a code or a document. */
export interface AuditEntry {
  readonly actorId: UserId | null;
  readonly actorRole: 'customer' | 'admin' | 'system';
  /** An action of the catalogue (`transfers:execute`) or a security event (`login:failed`). */
  readonly action: string;
  readonly subjectType: string;
  readonly subjectId: string;
  readonly before?: object | null;
  readonly after?: object | null;
  readonly reason?: string | null;
  readonly requestId?: string | null;
  readonly address?: string | null;
}

/** Writes one event in the caller's transaction, so that the change and its record stand or fall together. */
export async function record(em: EntityManager, entry: AuditEntry): Promise<void> {
  await rows(
    em,
    `insert into audit_log (actor_id, actor_role, action, subject_type, subject_id, before, after, reason, request_id, address)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      entry.actorId,
      entry.actorRole,
      entry.action,
      entry.subjectType,
      entry.subjectId,
      entry.before === undefined || entry.before === null ? null : JSON.stringify(entry.before),
      entry.after === undefined || entry.after === null ? null : JSON.stringify(entry.after),
      entry.reason ?? null,
      entry.requestId ?? null,
      entry.address ?? null,
    ],
  );
}
