/**
 * `npm run test:prove -- FILE…`: runs each file ten times on one stack while twice as many loops as there are cores keep the machine
 * busy. A test of processes, clocks or races that passes here passes beside all others.
 */
import { availableParallelism } from 'node:os';
import { startChild } from '../../tools/devstack/process/child.ts';
import { stopOnSignals } from '../../tools/devstack/process/supervisor.ts';
import { groupsOf } from './groups.ts';
import { runJest } from './jest.ts';
import { titleOf } from './second-chance.ts';
import { abandonTestRuns, closeTestRuns, openTestRun, type TestRun } from './test-run.ts';
import { inTurn } from './turn.ts';

const ROUNDS = 10;
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const files = process.argv.slice(2);
if (files.length === 0) {
  say('Usage: npm run test:prove -- FILE…');
  process.exit(2);
}
stopOnSignals(closeTestRuns, abandonTestRuns);
process.exitCode = await inTurn(say, prove);

async function prove(): Promise<number> {
  const run = await openTestRun({ say, shared: false, banks: 1 });
  try {
    const loops = Array.from({ length: 2 * availableParallelism() }, () => keepBusy(run));
    await Promise.all(loops);
    const proven: boolean[] = [];
    for (const file of files) proven.push(await proveFile(file, run));
    return proven.every(Boolean) ? 0 : 1;
  } finally {
    await run.close();
  }
}

async function proveFile(file: string, run: TestRun): Promise<boolean> {
  const failed: string[] = [];
  let passed = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    for (const group of groupsOf([file])) {
      const outcome = await runJest(group, [file], run);
      passed += outcome?.passed ?? 0;
      const names = outcome?.failures.map((failure) => `${titleOf(failure)}: ${failure.reason}`);
      failed.push(
        ...(names ?? ['Jest ended without results']).map((name) => `round ${String(round)}: ${name}`),
      );
    }
  }
  for (const name of failed) say(name);
  say(`${file}: ${String(ROUNDS)} rounds, ${String(passed)} passed, ${String(failed.length)} failed`);
  return passed > 0 && failed.length === 0;
}

function keepBusy({ runFolder }: TestRun): Promise<unknown> {
  return startChild({
    ...{ name: 'busy loop', command: process.execPath, args: ['-e', 'for (;;);'], env: {} },
    ...{ output: 'inherit', stopSignal: 'SIGKILL', runFolder },
  });
}
