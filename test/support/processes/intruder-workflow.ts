/** A workflow that is not ours and calls activities that are. */
import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { scheduleActivity } from '@temporalio/workflow';

/** Answers for each call the type of the failure and whether it may be tried again; 'done' if the activity did as it was told. */
export async function callActivities(
  taskQueue: string,
  calls: readonly (readonly [name: string, args: unknown[]])[],
): Promise<unknown[]> {
  return Promise.all(calls.map(([name, args]) => callOne(taskQueue, name, args)));
}

async function callOne(taskQueue: string, name: string, args: unknown[]): Promise<unknown> {
  const options = { taskQueue, startToCloseTimeout: '10s', scheduleToCloseTimeout: '20s' } as const;
  try {
    await scheduleActivity(name, args, options);
    return 'done';
  } catch (error) {
    if (!(error instanceof ActivityFailure) || !(error.cause instanceof ApplicationFailure)) throw error;
    return { type: error.cause.type, nonRetryable: error.cause.nonRetryable };
  }
}
