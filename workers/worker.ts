/** A Temporal worker of this service: workflows and activities on one task queue. */
import { NativeConnection, Worker, type WorkerPlugin, type WorkflowBundleOption } from '@temporalio/worker';
import type { Cipher } from '../adapters/cipher.ts';
import { dataConverter } from '../adapters/temporal.ts';
import type { Config } from '../config.ts';
import { createActivities, type ActivityDeps } from '../activities/index.ts';
import { cleanFailures } from '../activities/failures.ts';

/** Activities (local ones too) wait for a connection of the pool; more of them than connections would burn their time-outs there. */
const CONNECTIONS_LEFT_FREE = 2;

/**
 * Workflows and activities share a worker so that an activity is handed over within the answer to its workflow task
 * (eager dispatch), which saves a round through the server's queues.
 */
export async function createWorker(
  deps: ActivityDeps & {
    config: Config;
    cipher: Cipher;
    workflowBundle: WorkflowBundleOption;
    plugins?: WorkerPlugin[];
  },
): Promise<Worker> {
  const { config, cipher, log } = deps;
  const slots = Math.max(1, Math.floor((config.DATABASE_POOL_MAX - CONNECTIONS_LEFT_FREE) / 2));
  return Worker.create({
    connection: await NativeConnection.connect({ address: config.TEMPORAL_ADDRESS }),
    namespace: config.TEMPORAL_NAMESPACE,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    workflowBundle: deps.workflowBundle,
    plugins: deps.plugins ?? [],
    activities: createActivities(deps),
    dataConverter: dataConverter(cipher),
    interceptors: { activity: [() => ({ inbound: cleanFailures(log) })] },
    maxConcurrentActivityTaskExecutions: slots,
    maxConcurrentLocalActivityExecutions: slots,
    maxConcurrentWorkflowTaskExecutions: 40,
    maxCachedWorkflows: 2_000,
    // how long a decision waits for a worker that has died before another one takes it
    stickyQueueScheduleToStartTimeout: '5s',
    workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 8 },
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 4 },
    shutdownGraceTime: '20s',
    shutdownForceTime: '45s',
  });
}
