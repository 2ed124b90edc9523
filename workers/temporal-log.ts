/** What Temporal's SDK says, in our log. */
import { DefaultLogger, type LogEntry, type LogLevel } from '@temporalio/worker';
import type { Logger } from 'pino';

const levels = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const satisfies Record<LogLevel, string>;

type Meta = Readonly<Record<string, unknown>>;

/** The SDK's line about an activity, after ours, which has the error as it was thrown (activities/failures.ts). */
const LOGGED_ALREADY = 'Activity failed';

/**
 * The SDK's logger. The error of a failed workflow task can be read nowhere else, since its copy in the history is encrypted; our log
 * writes an error with its stack under the name `err` only. `workflowId` stands where the lines of activities have it.
 */
export function temporalLogger(log: Logger): DefaultLogger {
  return new DefaultLogger('INFO', ({ level, message, meta }: LogEntry) => {
    if (message === LOGGED_ALREADY) return;
    // a task's token says nothing to people
    const { error, workflowId, requestId, taskToken: _token, ...temporal }: Meta = meta ?? {};
    const thread = { workflowId, requestId };
    log[levels[level]](
      error === undefined ? { ...thread, temporal } : { ...thread, temporal, err: error },
      message,
    );
  });
}
