/** Pending changes as administrators see them. */
import type { z } from 'zod';
import type { ChangeRow } from '../../../db/queries/platform/pending-changes.ts';
import type { PendingChange } from './schemas.ts';

export function changeView(change: ChangeRow): z.output<typeof PendingChange> {
  const { id, operation, before, after, status } = change;
  return {
    ...{ id, operation, before, after, status },
    resource: `${change.resourceType}/${change.resourceId}`,
    requested_by: change.requestedBy,
    created_at: change.createdAt,
    expires_at: change.expiresAt,
    decided_by: change.decidedBy,
    decided_at: change.decidedAt,
    reason: change.decisionReason,
    failure: change.failure,
  };
}
