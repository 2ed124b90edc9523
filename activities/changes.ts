/** Changes that wait for a second administrator: reminded of and expired, each in one transaction that is safe to repeat. */
import { transaction } from '../db/transaction.ts';
import { lookAtWaiting } from '../services/platform/waiting-changes.ts';
import type { ChangeActivities } from '../workflows/change/workflow.ts';
import type { ActivityDeps } from './deps.ts';

export function changeActivities(deps: Pick<ActivityDeps, 'em' | 'cipher'>): ChangeActivities {
  return {
    lookAtChange: (id, remindSeconds) =>
      transaction(deps.em(), (tx) => lookAtWaiting(tx, id, remindSeconds, deps)),
  };
}
