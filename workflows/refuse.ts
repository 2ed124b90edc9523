/** A business "no" out of an update's validator: rejected before it enters the history, and no fault for the metrics. */
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { RefusalCode } from '../domain/refusals.ts';

/** The failure's type is the refusal's code; `services/platform/processes.ts` reads it back. */
export function refuse(
  code: RefusalCode,
  members: Readonly<Record<string, unknown>> = {},
): ApplicationFailure {
  return ApplicationFailure.create({
    type: code,
    message: code,
    nonRetryable: true,
    details: [members],
    category: ApplicationFailureCategory.BENIGN,
  });
}
