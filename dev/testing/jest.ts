/** Runs Jest on one group of tests and reads what it found. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from '../../tools/devstack/process/child.ts';
import { ROOT } from '../service/process.ts';
import { NAME_FLAGS, type Group } from './groups.ts';
import { readOutcome, type Outcome } from './results.ts';

/** Where a run of Jest finds its stack and leaves its files. */
export interface Surroundings {
  /** The socket on which the stack can be asked for. */
  readonly control: string;
  readonly folder: string;
  readonly runFolder: string;
}

/** The port on which a test waits for a debugger. */
const DEBUGGER = '127.0.0.1:9231';
const A_DAY_MS = 86_400_000;

/** Runs what the arguments of Jest name of a group; undefined if Jest ended without results, as it does if the stack does not start. */
export async function runJest(
  { name, layers, flags = [] }: Group,
  args: readonly string[],
  { control, folder, runFolder }: Surroundings,
): Promise<Outcome | undefined> {
  const results = join(folder, `results-${name}.json`);
  rmSync(results, { force: true });
  const debugged = args.includes('--inspect');
  if (debugged) process.stderr.write(`Waiting for a debugger on ${DEBUGGER} …\n`);
  const jest = await startChild({
    name: 'Jest',
    command: process.execPath,
    args: [
      // a flag rather than NODE_OPTIONS: it reaches Jest's workers but no process that a test starts
      '--disable-warning=ExperimentalWarning',
      ...(debugged ? [`--inspect-wait=${DEBUGGER}`] : []),
      join(ROOT, 'node_modules/jest/bin/jest.js'),
      ...args.filter((arg) => arg !== '--inspect'),
      // of a file's tests those that are skipped would hide the few that are not
      ...(args.some((arg) => NAME_FLAGS.includes(arg)) ? ['--verbose=false'] : []),
      ...(debugged ? ['--runInBand', `--testTimeout=${A_DAY_MS}`] : []),
      ...['--json', `--outputFile=${results}`, '--passWithNoTests'],
      ...flags,
      // last, since it takes all words that follow it
      ...['--selectProjects', ...layers],
    ],
    env: { ...process.env, TELLER_TEST_CONTROL: control },
    cwd: ROOT,
    output: 'inherit',
    stopSignal: 'SIGKILL',
    runFolder,
  });
  const code = await jest.ended;
  if (!existsSync(results)) return undefined;
  const outcome = readOutcome(JSON.parse(readFileSync(results, 'utf8')), ROOT);
  // a threshold or a handle of Jest's own: it counts no failure, and is one all the same
  return code !== 0 && outcome.failed === 0 ? undefined : outcome;
}
