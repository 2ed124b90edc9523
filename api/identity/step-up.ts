/** What a step-up can be asked for, and the single use of its token. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { row } from '../../db/sql.ts';
import type { Operation } from '../operation.ts';

/** What an operation takes: the token of a step-up, or a fresh proof of its session (changes of second factors). */
export type StepUpKind = 'token' | 'proof';

/** Operations that a step-up can be asked for, by their ids. */
export function stepUpOperations(operations: readonly Operation[]): ReadonlyMap<string, StepUpKind> {
  const asking = new Map<string, StepUpKind>();
  for (const { id, access, refuses } of operations) {
    if ('stepUp' in access && access.stepUp) asking.set(id, 'token');
    else if (refuses.includes('step_up_required')) asking.set(id, 'proof');
  }
  return asking;
}

/**
 * Spends a step-up token on one resource; call it in the transaction of the effect where there is one. True at the first use,
 * and at a repeat for the same resource: a retry with the same Idempotency-Key carries the same token. False otherwise.
 */
export async function spendStepUp(em: EntityManager, stepUpId: string, resourceId: string): Promise<boolean> {
  const inserted = await row(
    em,
    `insert into step_up_uses (step_up_id, resource_id) values ($1, $2)
     on conflict (step_up_id) do nothing returning step_up_id`,
    [stepUpId, resourceId],
  );
  if (inserted !== undefined) return true;
  // the insert has waited for a use at the same moment, so its row is visible now
  const use = await row<{ resource_id: string }>(
    em,
    'select resource_id from step_up_uses where step_up_id = $1',
    [stepUpId],
  );
  return use?.resource_id === resourceId;
}
