/** What a step-up can be asked for. */
import type { StepUpKind } from '../../services/identity/factors/step-up-kind.ts';
import type { Operation } from '../declaration/operation.ts';

/** Operations that a step-up can be asked for, by their ids. */
export function stepUpOperations(operations: readonly Operation[]): ReadonlyMap<string, StepUpKind> {
  const asking = new Map<string, StepUpKind>();
  for (const { id, access, refuses } of operations) {
    if ('stepUp' in access && access.stepUp) asking.set(id, 'token');
    else if (refuses.includes('step_up_required')) asking.set(id, 'proof');
  }
  return asking;
}
