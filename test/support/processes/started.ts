/** Processes that were asked for a moment ago: the outbox starts them after the answer. */
import type { WorkflowHandle } from '@temporalio/client';
import { until } from '../stack/processes.ts';

/** Waits until Temporal knows the run. */
export async function untilStarted(run: Pick<WorkflowHandle, 'describe'>): Promise<void> {
  await until(() =>
    run.describe().then(
      () => true,
      () => false,
    ),
  );
}
