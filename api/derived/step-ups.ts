/** What a step-up can be asked for. */
import type { StepUpSubject } from '../../services/identity/factors/step-up-kind.ts';
import type { Operation } from '../declaration/operation.ts';
import { needsFreshFactor } from '../pipeline/factors/fresh-factor.ts';
import { linkedRequest } from '../pipeline/factors/linked-request.ts';

/** Operations that a step-up can be asked for, by their ids. */
export function stepUpOperations(operations: readonly Operation[]): ReadonlyMap<string, StepUpSubject> {
  const asking = new Map<string, StepUpSubject>();
  for (const operation of operations) {
    const { id, access, refuses } = operation;
    if ('stepUp' in access && access.stepUp)
      asking.set(id, { kind: 'token', link: linkedRequest(operation) });
    else if (needsFreshFactor(operation)) asking.set(id, { kind: 'fresh_factor', link: null });
    else if (refuses.includes('step_up_required')) asking.set(id, { kind: 'proof', link: null });
  }
  return asking;
}
