/** The service's own processes: one script of this project each, run by the Node that runs this one. */
import { join } from 'node:path';
import { startChild, type Child, type ChildSpec } from '../../tools/devstack/process/child.ts';

export const ROOT = join(import.meta.dirname, '..', '..');

export interface ProcessOptions {
  readonly name: string;
  readonly runFolder: string;
  readonly output: ChildSpec['output'];
  readonly stopSignal?: 'SIGTERM' | 'SIGKILL';
  /** Arguments of the script. */
  readonly args?: readonly string[];
  /** How long it may finish what it has begun before it is killed. */
  readonly stopWithinMs?: number;
  /** Flags of Node beside those that every process gets. */
  readonly nodeFlags?: readonly string[];
}

/**
 * V8 lets the memory for young objects grow to 64 MiB twice over before it collects them once; a quarter is as fast for answers that
 * are streamed, and keeps a long statement's memory flat. The image starts with the same.
 */
const NODE_FLAGS = ['--max-semi-space-size=16'];

/** What Node has compiled and stripped of types is kept here: the next start of a process takes half of the time. */
const COMPILE_CACHE = join(ROOT, '.data', 'compile-cache');

/** API and worker finish what they have begun; they set themselves a shorter time. */
const STOP_WITHIN_MS = 60_000;

/** Starts a script of this project, named from its root (`api/main.ts`), with just the environment given. */
export function startProcess(
  script: string,
  env: NodeJS.ProcessEnv,
  { nodeFlags = [], args: scriptArgs = [], ...options }: ProcessOptions,
): Promise<Child> {
  const args = [...NODE_FLAGS, ...nodeFlags, join(ROOT, script), ...scriptArgs];
  return startChild({
    stopWithinMs: STOP_WITHIN_MS,
    ...options,
    ...{ command: process.execPath, args, cwd: ROOT },
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
  });
}

/** Runs a script to its end; throws where it fails. */
export async function runProcess(
  script: string,
  env: NodeJS.ProcessEnv,
  options: ProcessOptions,
): Promise<void> {
  const child = await startProcess(script, env, options);
  const outcome = await child.ended;
  if (outcome !== 0) throw new Error(`${script} failed (${outcome}); what it said stands above.`);
}
