/** API and worker as processes of their own, beside those that all tests share. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Child } from '../../../tools/devstack/process/child.ts';
import { claimPorts, type PortBlock } from '../../../tools/devstack/process/ports.ts';
import { startProcess } from '../../../dev/service/process.ts';
import { untilPolling as workerPolls, untilReady as apiIsReady } from '../../../dev/service/readiness.ts';
import { PATIENCE_MS, PATIENCE_SECONDS, patienceFor } from '../patience.ts';
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

/** What is there instead of what is waited for. */
type Seen = () => unknown;
type Limits = readonly [seconds?: number | undefined, pause?: number | undefined, seen?: Seen];

/**
 * Waits for what does not announce itself, looking every so many milliseconds. If it does not come about in time, it fails and prints
 * what `seen` returns.
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  ...more: readonly [seen: Seen] | Limits
): Promise<void> {
  const [least, pause = 50, seen] = isSeen(more) ? [undefined, undefined, more[0]] : more;
  const seconds = least === undefined ? PATIENCE_SECONDS : patienceFor(least);
  const end = performance.now() + seconds * 1_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`${givenUp(seconds)}${await shown(seen)}`);
    await wait(pause);
  }
}

const isSeen = (more: readonly [Seen] | Limits): more is readonly [Seen] => typeof more[0] === 'function';
const givenUp = (seconds: number): string => `it did not come about within ${String(seconds)} s`;

async function shown(seen: Seen | undefined): Promise<string> {
  if (seen === undefined) return '';
  try {
    return `; seen: ${inspect(await seen(), { depth: 6, breakLength: Infinity })}`;
  } catch (error) {
    return `; what is there cannot be seen: ${String(error)}`;
  }
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
