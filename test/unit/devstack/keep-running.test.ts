/** A process that is kept running: started again when it ends by itself, and when it is told to. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild, type Child } from '../../../tools/devstack/process/child.ts';
import { keepRunning, type KeptRunning } from '../../../tools/devstack/process/keep-running.ts';
import { until } from '../../support/until.ts';

const RUNS_ON = 'setInterval(() => {}, 1000)';
const CANNOT_START = 'process.exit(3)';

let folder: string;
let code: string;
let children: Child[];
let said: string[];
let kept: KeptRunning;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'teller-unit-'));
  [code, children, said] = [RUNS_ON, [], []];
  kept = keepRunning(await start(), start, (line) => said.push(line));
});

afterEach(async () => {
  await kept.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('a deliberate restart replaces the process at once and is not reported as a crash', async () => {
  await kept.restart(async () => undefined);
  expect(running()).toEqual([false, true]);
  expect(said).toEqual([]);
});

test('a process that ends before it is ready stays down until the next restart', async () => {
  code = CANNOT_START;
  await expect(kept.restart(untilEnded)).rejects.toThrow('ended');
  code = RUNS_ON;
  await kept.restart(async () => undefined);
  expect(running()).toEqual([false, false, true]);
  expect(said).toEqual([]);
});

test('a process that crashes after a restart is started again after a pause', async () => {
  await kept.restart(async () => undefined);
  await children[1]?.kill();
  await until(() => said.length > 0);
  expect(said).toEqual(['Tiny has ended (SIGKILL); it is started again in 1 s.']);
});

test('a restart during that pause does not wait for its end', async () => {
  await children[0]?.kill();
  await until(() => said.length > 0);
  await kept.restart(async () => undefined);
  expect(running()).toEqual([false, true]);
});

test('after a stop nothing is started any more', async () => {
  await kept.stop();
  await kept.restart(async () => undefined);
  expect(running()).toEqual([false]);
});

async function start(): Promise<Child> {
  const child = await startChild({
    ...{ name: 'Tiny', command: process.execPath, args: ['-e', code], env: {} },
    ...{ output: { line: () => undefined }, runFolder: folder },
  });
  children.push(child);
  return child;
}

/** In the order of their starts. */
function running(): boolean[] {
  return children.map((child) => !child.hasEnded());
}

async function untilEnded(child: Child): Promise<void> {
  await child.ended;
  throw new Error('it has ended');
}
