import { expect, test } from '@jest/globals';
import { createLogger } from '../../../adapters/logging.ts';
import { temporalLogger } from '../../../workers/temporal-log.ts';

function written(say: (log: ReturnType<typeof temporalLogger>) => void): unknown[] {
  const lines: string[] = [];
  const log = createLogger({ LOG_LEVEL: 'info' }, 'worker', { write: (line) => void lines.push(line) });
  say(temporalLogger(log));
  return lines.map((line): unknown => JSON.parse(line));
}

test('the error of a failed workflow task is logged with its message and its stack', () => {
  const error = new TypeError('order.legs is not iterable');
  const meta = { workflowId: 'transfer/1', runId: 'a', error };
  expect(written((log) => log.error('Failed to process Workflow Activation', meta))).toEqual([
    expect.objectContaining({
      level: 50,
      msg: 'Failed to process Workflow Activation',
      workflowId: 'transfer/1',
      temporal: { runId: 'a' },
      err: expect.objectContaining({
        type: 'TypeError',
        message: 'order.legs is not iterable',
        stack: expect.stringContaining('temporal-log.test.ts'),
      }),
    }),
  ]);
});

test('a message without an error is logged at its level', () => {
  expect(written((log) => log.warn('slow', { attempt: 2 }))).toEqual([
    expect.objectContaining({ level: 40, msg: 'slow', temporal: { attempt: 2 } }),
  ]);
  expect(written((log) => log.debug('not asked for'))).toEqual([]);
});

test('what activities log themselves is not said twice', () => {
  expect(written((log) => log.warn('Activity failed', { error: new Error('a mail') }))).toEqual([]);
});
