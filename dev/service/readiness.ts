/** Waiting until API and worker can do their work, rather than until they have been started. */
import { Connection } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { queueName, queues, type Queue } from '../../domain/queues.ts';
import type { Child } from '../../tools/devstack/process/child.ts';

/** temporal.api.enums.v1.TaskQueueType */
const WORKFLOW_TASKS = 1;
const ACTIVITY_TASKS = 2;
const PATIENCE_MS = 60_000;
const PAUSE_MS = 100;
const SETTLED_MS = 1_000;

/** Waits until the API says that it and all it needs can work. Throws where it ends first, takes too long, or `signal` is aborted. */
export async function untilReady(
  apiUrl: string,
  api: Child,
  signal?: AbortSignal,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  await untilAnswered(`${apiUrl}/ready`, api, signal, patienceMs);
}

/** The same of any process that answers 2xx at this address once it can work. */
export async function untilAnswered(
  url: string,
  child: Child,
  signal?: AbortSignal,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  await until(child, { signal, patienceMs }, async () => {
    const answer = await fetch(url, {
      // a connection kept open would have to run idle before the process can stop
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(5_000),
    });
    return answer.ok ? undefined : `${url} answers ${answer.status} ${await answer.text()}`;
  });
}

/** Waits until Temporal has seen this worker ask for work; the pollers of earlier ones are listed for minutes. */
export async function untilPolling(
  env: NodeJS.ProcessEnv,
  worker: Child,
  signal?: AbortSignal,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const connection = Connection.lazy({ address: env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233' });
  const namespace = env['TEMPORAL_NAMESPACE'] ?? 'default';
  const notPolled = async (queue: Queue): Promise<string | undefined> => {
    const name = queueName(env['TEMPORAL_TASK_QUEUE'] ?? 'teller', queue);
    const { pollers } = await connection.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name },
      taskQueueType: queue === 'money' ? WORKFLOW_TASKS : ACTIVITY_TASKS,
    });
    // the SDK's default identity of a worker is its process at its host
    const polls = pollers.some(({ identity }) => identity?.startsWith(`${worker.pid}@`));
    return polls ? undefined : `it does not poll the task queue ${name}`;
  };
  try {
    await until(worker, { signal, patienceMs }, async () =>
      (await Promise.all(servedQueues(env).map(notPolled))).find((reason) => reason !== undefined),
    );
  } finally {
    await connection.close();
  }
}

/** As config.ts reads it. */
function servedQueues({ WORKER_QUEUES: named }: NodeJS.ProcessEnv): readonly Queue[] {
  return named ? queues.filter((queue) => named.includes(queue)) : queues;
}

/** Waits out the first second of a process that cannot be asked: what cannot start ends within it. */
export async function untilSettled(child: Child, signal?: AbortSignal): Promise<void> {
  await Promise.race([child.ended, sleep(SETTLED_MS, undefined, signal === undefined ? {} : { signal })]);
  if (child.hasEnded()) throw new Error(`${child.name} has ended before it was ready.`);
}

/** Asks until there is nothing in the way; throws with what was, where the process ends or the time is over. */
async function until(
  child: Child,
  { signal, patienceMs }: { readonly signal: AbortSignal | undefined; readonly patienceMs: number },
  inTheWay: () => Promise<string | undefined>,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  let reason: string | undefined;
  while (performance.now() < deadline) {
    signal?.throwIfAborted();
    if (child.hasEnded()) throw new Error(`${child.name} has ended before it was ready.`);
    reason = await inTheWay().catch((error: unknown) =>
      error instanceof Error ? error.message : String(error),
    );
    if (reason === undefined) return;
    await sleep(PAUSE_MS);
  }
  throw new Error(`${child.name} is not ready after ${PATIENCE_MS / 1000} s: ${reason ?? 'no answer'}`);
}
