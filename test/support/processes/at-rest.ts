/** What keeps the clock of Temporal's time-skipping server from going on: runs that are not at rest. */
import type { Client, WorkflowClientInterceptor, WorkflowHandle } from '@temporalio/client';
import { until } from '../stack/processes.ts';

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

/**
 * Terminates a run once it is at rest. The server holds its clock while a workflow task or an activity of a run is under way, and never
 * lets go of it again if the run is terminated meanwhile (temporalio/sdk-java#1138): every later wait of every test would then take as
 * long as it says.
 */
export function terminateAtRest(
  historyOf: (workflowId: string) => Promise<History>,
): WorkflowClientInterceptor {
  return {
    async terminate(input, next) {
      await until(async () => isAtRest(await historyOf(input.workflowExecution.workflowId ?? '')));
      return next(input);
    },
  };
}

/** Whether neither a workflow task nor an activity is under way. One that waits for its next attempt counts as under way. */
function isAtRest({ events }: History): boolean {
  let task = false;
  const activities = new Set<string>();
  for (const event of events ?? []) {
    if (event.workflowTaskScheduledEventAttributes) task = true;
    if (
      event.workflowTaskCompletedEventAttributes ??
      event.workflowTaskFailedEventAttributes ??
      event.workflowTaskTimedOutEventAttributes
    )
      task = false;
    if (event.activityTaskScheduledEventAttributes) activities.add(String(event.eventId));
    const ended =
      event.activityTaskCompletedEventAttributes ??
      event.activityTaskFailedEventAttributes ??
      event.activityTaskTimedOutEventAttributes ??
      event.activityTaskCanceledEventAttributes;
    if (ended) activities.delete(String(ended.scheduledEventId));
  }
  return !task && activities.size === 0;
}

const LAST_EVENTS = 8;

/** Remembers the runs that a client starts. `report` says of those that are open or were terminated what happened to them last. */
export function rememberRuns(): {
  readonly interceptor: WorkflowClientInterceptor;
  report(client: Client): Promise<string>;
} {
  const started = new Map<string, string>();
  return {
    interceptor: {
      async startWithDetails(input, next) {
        const run = await next(input);
        started.set(run.runId, input.options.workflowId);
        return run;
      },
    },
    async report(client) {
      const lines: string[] = [];
      for (const [runId, workflowId] of started) {
        const run = client.workflow.getHandle(workflowId, runId);
        const { status } = await run.describe();
        if (status.name !== 'RUNNING' && status.name !== 'TERMINATED') continue;
        // that of a run which takes step after step is larger than a message may be
        const last = await run.fetchHistory().then(
          ({ events }) => (events ?? []).slice(-LAST_EVENTS).map(nameOf).join(', '),
          (error: unknown) => String(error),
        );
        lines.push(`${workflowId} ${status.name}: … ${last}`);
      }
      return lines.join('\n');
    },
  };
}

/** As the field that is set: `workflowTaskStarted`. */
function nameOf(event: object): string {
  const field = Object.keys(event).find((name) => name.endsWith('EventAttributes'));
  return field?.replace('EventAttributes', '') ?? 'unknown';
}
