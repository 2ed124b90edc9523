/** One run of tests: its folder, its stack, which starts when a test asks for it, and the way to both. */
import { cpSync, existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { claimPorts } from '../../tools/devstack/process/ports.ts';
import { ROOT } from '../service/process.ts';
import { serveControl } from './control.ts';
import type { Surroundings } from './jest.ts';
import { keptStack } from './kept-stack.ts';
import { openTestFolder } from './test-folder.ts';
import { createTestStack } from './test-stack.ts';
import type { TestStack } from './up-to-date.ts';

export interface TestRun extends Surroundings, Pick<TestStack, 'ended' | 'failure'> {
  /** Where API and worker write their logs. */
  readonly logs: string;
  /** Stops everything and removes the folder. */
  close(): Promise<void>;
}

export interface TestRunWish {
  readonly say: (line: string) => void;
  /** True if the stack that `npm run stack` keeps up will do. */
  readonly shared: boolean;
  /** How many banks a stack of its own has. */
  readonly banks: number;
}

/** Lines of what was said before a stack did not start. */
const LAST_WORDS = 15;

const open = new Set<{ close(): Promise<void>; abandon(): void }>();

/** Makes the folder; the stack is that which is kept up, or starts as soon as a test asks for it. */
export async function openTestRun({ say, shared, banks }: TestRunWish): Promise<TestRun> {
  const { folder, runFolder, supervision } = await openTestFolder();
  const owned = {
    abandon: supervision.abandon,
    async close() {
      open.delete(owned);
      await supervision.end();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  open.add(owned);
  const kept = shared ? keptStack() : undefined;
  if (kept !== undefined) {
    say('Using the stack that `npm run stack` keeps up.');
    return {
      ...{ control: kept, folder, runFolder, logs: join(dirname(kept), 'logs'), close: owned.close },
      ...{ ended: () => [], failure: () => undefined },
    };
  }
  const said: string[] = [];
  const sayAndKeep = (line: string): void => {
    said.push(line);
    say(line);
  };
  const stack = createTestStack({ folder, runFolder, ports: await claimPorts(), banks, say: sayAndKeep });
  const { socket, close } = await serveControl(folder, () => stack.ready());
  return {
    ...{ control: socket, folder, runFolder, logs: join(folder, 'logs') },
    ended: stack.ended,
    failure: () => {
      const failure = stack.failure();
      return failure === undefined ? undefined : [failure, ...said.slice(-LAST_WORDS)].join('\n');
    },
    async close() {
      close();
      await owned.close();
    },
  };
}

/** Stops all that is open, as Ctrl-C asks. */
export async function closeTestRuns(): Promise<void> {
  await Promise.all([...open].map((run) => run.close()));
}

/** Kills all that is open. */
export function abandonTestRuns(): void {
  for (const run of open) run.abandon();
}

/** What the service said goes with the folder unless somebody may want to read it; returns where it is kept. */
export function keepLogs({ logs }: TestRun): string | undefined {
  if (!existsSync(logs)) return undefined;
  const kept = join(ROOT, '.data', 'test-logs');
  rmSync(kept, { recursive: true, force: true });
  cpSync(logs, kept, { recursive: true });
  return kept;
}
