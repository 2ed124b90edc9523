/** What leaves a failed activity: the kind of fault and whether a retry helps, never the database's text, which may quote a value. */
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from '@temporalio/worker';
import { ApplicationFailure, TemporalFailure } from '@temporalio/common';
import { CompleteAsyncError } from '@temporalio/activity';
import type { Logger } from 'pino';

/** Logs the fault where it happened and lets only its name into the history. */
export function cleanFailures(log: Logger): ActivityInboundCallsInterceptor {
  return {
    async execute(
      input: ActivityExecuteInput,
      next: Next<ActivityInboundCallsInterceptor, 'execute'>,
    ): Promise<unknown> {
      try {
        return await next(input);
      } catch (error) {
        if (error instanceof TemporalFailure || error instanceof CompleteAsyncError) throw error;
        const name = error instanceof Error ? error.name : 'UnknownError';
        log.error({ err: error }, 'an activity failed and will be retried');
        throw ApplicationFailure.create({ type: name, message: `${name}; the worker's log has the rest` });
      }
    },
  };
}
