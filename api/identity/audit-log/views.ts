import type { AuditRow } from '../../../db/queries/platform/audit-log.ts';
import { hidingPersonal } from '../../../domain/identity/personal-data.ts';
import type { AuditEntryWire } from './schemas.ts';

/** A line of the log, without personal data. */
export function auditEntryView(entry: AuditRow): AuditEntryWire {
  return {
    id: entry.id,
    at: entry.at,
    actor_id: entry.actorId,
    actor_role: entry.actorRole,
    action: entry.action,
    resource_type: entry.subjectType,
    resource_id: entry.subjectId,
    before: hiding(entry.before),
    after: hiding(entry.after),
    reason: entry.reason,
    request_id: entry.requestId,
    address: entry.address,
  };
}

function hiding(state: AuditRow['before']): Record<string, unknown> | null {
  return state === null ? null : hidingPersonal(state);
}
