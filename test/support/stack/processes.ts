/** API and worker as processes of their own, beside those that all tests share. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Child } from '../../../tools/devstack/process/child.ts';
import { startProcess } from '../../../dev/service/process.ts';
import { stack } from './stack.ts';

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

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Waits for what does not announce itself; fails where it does not come about in time. */
export async function until(holds: () => boolean | Promise<boolean>, seconds = 30): Promise<void> {
  const end = performance.now() + seconds * 1_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`it did not come about within ${String(seconds)} s`);
    await wait(50);
  }
}

/** True once the API at this address answers. */
export async function isUp(api: string): Promise<boolean> {
  const answer = await fetch(`${api}/health`).catch(() => null);
  return answer?.status === 200;
}
