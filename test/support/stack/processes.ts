/** API and worker as processes of their own, beside those that all tests share. */
import { join } from 'node:path';
import type { Child } from '../../../tools/devstack/process/child.ts';
import { claimPorts, type PortBlock } from '../../../tools/devstack/process/ports.ts';
import { startProcess } from '../../../dev/service/process.ts';
import { untilPolling as workerPolls, untilReady as apiIsReady } from '../../../dev/service/readiness.ts';
import { PATIENCE_MS } from '../patience.ts';
import { stack } from './stack.ts';

/** Most tests that wait also start something. */
export { until } from '../until.ts';

/** Starts a script of the service with `env` over the test's own; its output goes to the run’s logs, or line by line to `line`. */
export function startService(
  name: string,
  script: string,
  env: NodeJS.ProcessEnv,
  line?: (text: string) => void,
): Promise<Child> {
  const output = line === undefined ? { file: join(stack.folder, 'logs', `${name}.log`) } : { line };
  return startProcess(script, { ...stack.serviceEnv, ...env }, { name, runFolder: stack.runFolder, output });
}

/**
 * A bound for what must not hang. A machine that is busy with other work is ten times slower, but a connection that nobody answers
 * takes minutes; how fast it is on a quiet machine is the bench's matter.
 */
export const SOON_MS = 15_000;

/** Blocks of this test file. */
const blocks: PortBlock[] = [];

/** A port that nobody else takes: the system gives none of these to whoever asks for any, and each file has blocks of its own. */
export async function freePort(): Promise<number> {
  const port = await blocks
    .at(-1)
    ?.next()
    .catch(() => undefined);
  if (port !== undefined) return port;
  blocks.push(await claimPorts());
  return freePort();
}

/** Waits until the API says that it and all it needs can work. */
export const untilReady = (api: string, child: Child): Promise<void> =>
  apiIsReady(api, child, undefined, PATIENCE_MS);

/** Waits until Temporal has seen this worker ask for work. */
export const untilPolling = (env: NodeJS.ProcessEnv, worker: Child): Promise<void> =>
  workerPolls(env, worker, undefined, PATIENCE_MS);

/** True once the API at this address answers. */
export async function isUp(api: string): Promise<boolean> {
  const answer = await fetch(`${api}/health`).catch(() => null);
  return answer?.status === 200;
}
