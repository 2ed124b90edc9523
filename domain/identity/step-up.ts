/** Why an operation refuses a step-up token, or the age of the second factor (RFC 9470). */
import { Refusal } from '../refusals.ts';

/** What is wrong with the token, as the Problem's `reason` names it, with a sentence for people. */
const REASONS = {
  missing: 'The request carries no step-up token.',
  invalid: 'The step-up token is not one of this service for this session.',
  expired: 'The step-up token has expired.',
  spent: 'The step-up token has been used.',
  other_operation: 'The step-up token was issued for another operation.',
  other_request: 'The step-up token was issued for another request: path or body differ.',
  factor_too_old: 'The second factor of this session was proven too long ago.',
} as const;

export type StepUpReason = keyof typeof REASONS;

/** Refuses for this reason. `operation` is what the step-up has to name. */
export function stepUpRequired(
  reason: StepUpReason,
  operation: string,
  more: Readonly<Record<string, unknown>> = {},
): Refusal<'step_up_required'> {
  const members = { reason, operation, step_up: 'initiateStepUp', ...more };
  return new Refusal('step_up_required', { detail: REASONS[reason], members });
}
