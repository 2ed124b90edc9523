import type { AuditRow } from '../../../db/queries/platform/audit-log.ts';
import type { AuditEntryWire } from './schemas.ts';

/** Fields whose values say who somebody is; who reads the log need not know, only that they changed. */
const PERSONAL: ReadonlySet<string> = new Set([
  'first_name',
  'last_name',
  'date_of_birth',
  'address',
  'email',
  'phone',
]);
const HIDDEN = '•••';

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
  if (state === null) return null;
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => [
      name,
      PERSONAL.has(name) && value !== null ? HIDDEN : value,
    ]),
  );
}
