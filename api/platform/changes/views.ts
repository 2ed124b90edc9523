/** Pending changes as administrators see them. */
import type { z } from 'zod';
import type { ChangeRow } from '../../../db/queries/platform/pending-changes.ts';
import type { WebUi } from '../../../services/platform/web-ui.ts';
import { changeProcess } from '../../../workflows/change/process.ts';
import { processLink } from '../../wire/process-link.ts';
import type { PendingChange } from './schemas.ts';

export function changeView(change: ChangeRow, webUi: WebUi): z.output<typeof PendingChange> {
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
    process: processLink(changeProcess.workflowId(id), webUi),
  };
}
