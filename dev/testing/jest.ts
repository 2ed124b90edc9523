/** Runs Jest on the tests asked for and counts what it found. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { startChild } from '../../tools/devstack/process/child.ts';
import { ROOT } from '../service/process.ts';

export interface Verdict {
  readonly passed: number;
  readonly failed: number;
  /** What the process is to exit with. */
  readonly code: number;
}

const Results = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numRuntimeErrorTestSuites: z.number(),
});

/** What kills processes, fills the machine or measures it would disturb the others or be disturbed, so it comes after them, one by one. */
const GROUPS = [
  {
    name: 'together',
    flags: ['--testPathIgnorePatterns=/test/faults/', '--testPathIgnorePatterns=\\.alone\\.test\\.ts$'],
  },
  {
    name: 'alone',
    flags: [
      '--testMatch=<rootDir>/test/faults/**/*.test.ts',
      '--testMatch=<rootDir>/test/**/*.alone.test.ts',
      '--runInBand',
    ],
  },
];

/** Runs all that match, those that need the machine for themselves one file at a time; answers the sum. */
export async function runJest(env: NodeJS.ProcessEnv, folder: string, runFolder: string): Promise<Verdict> {
  let sum: Verdict = { passed: 0, failed: 0, code: 0 };
  for (const { name, flags } of GROUPS) {
    const results = join(folder, `results-${name}.json`);
    const one = await runGroup([...flags, `--outputFile=${results}`], results, env, runFolder);
    sum = { passed: sum.passed + one.passed, failed: sum.failed + one.failed, code: sum.code || one.code };
  }
  // no group alone can tell that a pattern matches nothing anywhere
  return sum.passed + sum.failed === 0 ? { ...sum, code: sum.code || 1 } : sum;
}

async function runGroup(
  flags: readonly string[],
  results: string,
  env: NodeJS.ProcessEnv,
  runFolder: string,
): Promise<Verdict> {
  const jest = await startChild({
    name: 'Jest',
    command: process.execPath,
    args: [
      // flags rather than NODE_OPTIONS: they reach Jest's workers but no process that a test starts
      ...['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
      ...[join(ROOT, 'node_modules/jest/bin/jest.js'), '--json', '--passWithNoTests', ...flags],
      ...process.argv.slice(2),
    ],
    env,
    cwd: ROOT,
    output: 'inherit',
    stopSignal: 'SIGKILL',
    runFolder,
  });
  const outcome = await jest.ended;
  const code = typeof outcome === 'number' ? outcome : 1;
  if (!existsSync(results)) return { passed: 0, failed: 1, code: code || 1 };
  const counted = Results.parse(JSON.parse(readFileSync(results, 'utf8')));
  // a file that could not even be loaded counts as one failure, or a broken import would read "0 failed"
  const failed = counted.numFailedTests + counted.numRuntimeErrorTestSuites;
  return { passed: counted.numPassedTests, failed, code: failed > 0 ? code || 1 : code };
}
