/** What an operation that books has to take itself: the idempotency key and the step-up of its call. */
import { spendStepUp } from '../../db/queries/identity/factors/step-up-uses.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { Claim } from '../declaration/request.ts';
import { reserve, type Rendered, type Reservation, type Scope } from './idempotency.ts';

/** Thrown by a claim whose key has its answer. */
export class Known extends Error {
  override readonly name = 'Known';
  readonly answer: Rendered | Refusal;

  constructor(answer: Rendered | Refusal) {
    super('the key has its answer');
    this.answer = answer;
  }
}

/** A claim, and what was taken by it. */
export function createClaim(
  scope: Scope | null,
  stepUpId: string | null,
  newId: string,
): { readonly claim: Claim; taken(): Reservation | null } {
  let taken: Reservation | null = null;
  return {
    taken: () => taken,
    claim: {
      async take(db) {
        taken =
          scope === null
            ? { resourceId: newId, known: null, fresh: true, stepUpSpent: false }
            : await reserve(db, scope, newId, stepUpId);
        if (taken.known !== null) throw new Known(taken.known);
        if (
          stepUpId !== null &&
          !taken.stepUpSpent &&
          !(await spendStepUp(db, { stepUpId, resourceId: taken.resourceId }))
        )
          throw new Refusal('step_up_required');
        return { newId: taken.resourceId, isRepeat: !taken.fresh };
      },
    },
  };
}
