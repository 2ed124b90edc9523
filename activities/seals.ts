/** An activity does nothing unless its input was sealed for the process that it says it works for. */
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { ApplicationFailure } from '@temporalio/common';
import { areSealed } from '../domain/seals.ts';

/** Guards every activity of the worker. A retry would not help. */
export const refuseUnsealed: ActivityInboundCallsInterceptor = {
  async execute(input, next) {
    if (!areSealed(input.args))
      throw ApplicationFailure.nonRetryable(
        'the input of the activity was not sealed for its process',
        'payload_refused',
      );
    return next(input);
  },
};
