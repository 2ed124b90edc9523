/** The Temporal workers of one process: one for each task queue that it serves. */
import { NativeConnection, Worker, type WorkerPlugin, type WorkflowBundleOption } from '@temporalio/worker';
import type { Cipher } from '../adapters/cipher.ts';
import { connectionOptions, dataConverter } from '../adapters/temporal.ts';
import type { Config } from '../config.ts';
import { createActivities, type ActivityDeps } from '../activities/index.ts';
import { cleanFailures } from '../activities/failures.ts';
import { refuseUnsealed } from '../activities/seals.ts';
import { queueName } from '../domain/queues.ts';
import { slotsOf, withinTasks } from './slots.ts';

/**
 * Workflows run beside the activities of `money`, so that an activity is handed over within the answer to its workflow task
 * (eager dispatch), which saves a round through the server's queues. The other queues carry activities only.
 */
export async function createWorkers(
  deps: ActivityDeps & {
    config: Config;
    cipher: Cipher;
    workflowBundle: WorkflowBundleOption;
    plugins?: WorkerPlugin[];
  },
): Promise<Worker[]> {
  const { config, cipher, log } = deps;
  const connection = await NativeConnection.connect(connectionOptions(config));
  const activities = createActivities(deps);
  const slots = slotsOf(config.WORKER_QUEUES, config.DATABASE_POOL_MAX);
  return Promise.all(
    [...slots].map(([queue, mine]) => {
      const { within, apart: most } = queue === 'money' ? withinTasks(mine) : { within: 0, apart: mine };
      return Worker.create({
        connection,
        namespace: config.TEMPORAL_NAMESPACE,
        taskQueue: queueName(config.TEMPORAL_TASK_QUEUE, queue),
        plugins: deps.plugins ?? [],
        activities: activities[queue],
        dataConverter: dataConverter(cipher),
        interceptors: {
          activity: [() => ({ inbound: cleanFailures(log) }), () => ({ inbound: refuseUnsealed })],
        },
        maxConcurrentActivityTaskExecutions: most,
        activityTaskPollerBehavior: { type: 'simple-maximum', maximum: Math.min(most, 4) },
        shutdownGraceTime: '20s',
        shutdownForceTime: '45s',
        ...(queue === 'money' ? workflows(deps.workflowBundle, within) : {}),
      });
    }),
  );
}

/** What only the worker of `money` does. */
function workflows(workflowBundle: WorkflowBundleOption, within: number) {
  return {
    workflowBundle,
    // looks into the books and decisions, each over in milliseconds
    maxConcurrentLocalActivityExecutions: within,
    maxConcurrentWorkflowTaskExecutions: 40,
    maxCachedWorkflows: 2_000,
    // how long a decision waits for a worker that has died before another one takes it
    stickyQueueScheduleToStartTimeout: '5s',
    workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 8 },
  } as const;
}
