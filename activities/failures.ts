/** What leaves a failed activity: the kind of fault and whether a retry helps, never the database's text, which may quote a value. */
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from '@temporalio/worker';
import {
  ApplicationFailure,
  CancelledFailure,
  defaultPayloadConverter,
  TemporalFailure,
} from '@temporalio/common';
import { activityInfo, CompleteAsyncError, metricMeter } from '@temporalio/activity';
import { NotFoundError } from '@mikro-orm/core';
import type { Logger } from 'pino';
import { z, ZodError } from 'zod';
import { REQUEST_HEADER } from '../domain/process.ts';
import { isClockFault, isPermanentState, sqlStateOf } from '../db/sql-state.ts';

const UNIQUE_VIOLATION = '23505';

/** What the activity was given can never be carried out: what it is about does not exist, or is not of its kind. */
export class BadInput extends Error {
  override readonly name = 'BadInput';
}

/**
 * Logs the fault where it happened and lets only its name into the history. A fault that no retry heals is an alarm, is counted, and
 * leaves as a failure that is not retried: the process then ends its step.
 */
export function cleanFailures(log: Logger): ActivityInboundCallsInterceptor {
  return {
    async execute(
      input: ActivityExecuteInput,
      next: Next<ActivityInboundCallsInterceptor, 'execute'>,
    ): Promise<unknown> {
      const { activityType: activity, attempt, workflowExecution } = activityInfo();
      const which = {
        activity,
        attempt,
        workflowId: workflowExecution?.workflowId,
        requestId: requestOf(input),
      };
      const begun = performance.now();
      log.debug(which, 'an activity begins');
      try {
        const result = await next(input);
        log.debug({ ...which, ms: Math.round(performance.now() - begun) }, 'an activity has ended');
        return result;
      } catch (error) {
        if (error instanceof CompleteAsyncError || error instanceof CancelledFailure) throw error;
        const about = { ...which, err: error };
        if (error instanceof TemporalFailure) {
          // it says itself what becomes of it
          log.warn(about, 'an activity has failed');
          throw error;
        }
        const nonRetryable = isPermanent(error, attempt);
        if (nonRetryable) {
          metricMeter.createCounter('teller_permanent_failures', '1', DESCRIPTION).add(1, { activity });
          log.error(
            { ...about, alert: 'activity_failed_for_good' },
            'an activity failed; no retry would help',
          );
        } else if (isClockFault(error)) {
          log.error({ ...about, alert: 'clock_jumped' }, 'nothing was posted, because a clock is wrong');
        } else log.error(about, 'an activity failed and will be retried');
        const name = error instanceof Error ? error.name : 'UnknownError';
        throw ApplicationFailure.create({
          type: name,
          message: `${name}; the worker's log has the rest`,
          nonRetryable,
        });
      }
    },
  };
}

/** The request that began the process; anybody who reaches Temporal may have written it. */
function requestOf({ headers }: ActivityExecuteInput): string | undefined {
  const header = headers[REQUEST_HEADER];
  if (header === undefined) return undefined;
  return RequestHeader.safeParse(defaultPayloadConverter.fromPayload(header)).data;
}

const RequestHeader = z.string().max(128);

const DESCRIPTION = 'Activities that failed and would fail again however often they were retried';

/** True if the activity will fail again however often it is tried. What is not known to be permanent may heal. */
export function isPermanent(error: unknown, attempt: number): boolean {
  if (error instanceof BadInput || error instanceof ZodError || error instanceof NotFoundError) return true;
  const state = sqlStateOf(error);
  // a twin may have written the same a moment before: a second attempt finds what it wrote
  if (state === UNIQUE_VIOLATION && attempt === 1) return false;
  return state !== undefined && isPermanentState(state);
}
