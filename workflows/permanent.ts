/** Steps that no retry would help: activities/failures.ts says which, and raises the alarm. */
import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import type { Refused } from '../domain/process.ts';

/** What a step answers, or `otherwise` if it would fail again however often it were retried. */
export async function unlessPermanent<Answer, Otherwise>(
  step: Promise<Answer>,
  otherwise: Otherwise,
): Promise<Answer | Otherwise> {
  try {
    return await step;
  } catch (error) {
    if (isPermanent(error)) return otherwise;
    throw error;
  }
}

/** Whether the step would fail again however often it were retried. */
export function isPermanent(error: unknown): boolean {
  return (
    error instanceof ActivityFailure &&
    error.cause instanceof ApplicationFailure &&
    error.cause.nonRetryable === true
  );
}

/** The answer to whoever asked for such a step. */
export const IMPOSSIBLE: Refused = { refused: 'internal_error' };
