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

/**
 * The SDK's logger. The error of a failed workflow task can be read nowhere else, since its copy in the history is encrypted; our log
 * writes an error with its stack under the name `err` only.
 */
export function temporalLogger(log: Logger): DefaultLogger {
  return new DefaultLogger('INFO', ({ level, message, meta }: LogEntry) => {
    const { error, ...temporal } = meta ?? {};
    log[levels[level]](error === undefined ? { temporal } : { temporal, err: error }, message);
  });
}
