/** Changes that wait for a second administrator: reminded of and expired, each in one transaction that is safe to repeat. */
import { transaction } from '../db/transaction.ts';
import type { ChangeState } from '../domain/changes.ts';
import type { ChangeId } from '../domain/ids.ts';
import { lookAtWaiting } from '../services/platform/waiting-changes.ts';
import type { ActivityDeps } from './deps.ts';

export interface ChangeActivities {
  /** Lets a change expire whose time is over, reminds those who let it lie, and says when to look again. */
  lookAtChange(
    id: ChangeId,
    remindSeconds: number,
  ): Promise<{ readonly state: ChangeState; readonly lookAgainInSeconds: number }>;
}

export function changeActivities(deps: Pick<ActivityDeps, 'em' | 'cipher'>): ChangeActivities {
  return {
    lookAtChange: (id, remindSeconds) =>
      transaction(deps.em(), (tx) => lookAtWaiting(tx, id, remindSeconds, deps)),
  };
}
