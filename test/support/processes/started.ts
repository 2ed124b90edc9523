/** Processes that were asked for a moment ago: the outbox starts them after the answer. */
import { WorkflowNotFoundError, type WorkflowHandle } from '@temporalio/client';
import { searchAttributes } from '../../../workflows/search-attributes.ts';
import { until } from '../stack/processes.ts';

/** Waits until Temporal knows the run. */
export async function untilStarted(run: Pick<WorkflowHandle, 'describe'>): Promise<void> {
  await until(() =>
    run.describe().then(
      () => true,
      // a client that has no key cannot read what it finds
      (error: unknown) => !(error instanceof WorkflowNotFoundError),
    ),
  );
}

type Shown = Pick<WorkflowHandle, 'describe'>;

/** Whether the run has looked at its row and shows operators where that stands. */
export async function isShown(run: Shown): Promise<boolean> {
  try {
    const { typedSearchAttributes } = await run.describe();
    return typedSearchAttributes.get(searchAttributes.status) !== 'started';
  } catch (error) {
    // the outbox has not started it yet
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** Waits until the run has looked at its row and shows operators where that stands. */
export async function untilShown(run: Shown, seconds?: number, pause?: number): Promise<void> {
  await until(() => isShown(run), seconds, pause);
}
