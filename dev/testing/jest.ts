/** Runs Jest on the tests asked for and counts what it found. */
import { existsSync, globSync, readFileSync } from 'node:fs';
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

interface Group {
  readonly name: string;
  /** The layers of the group: projects of jest.config.mjs, and folders of test/. */
  readonly layers: readonly string[];
  readonly flags?: readonly string[];
}

/** What kills processes would disturb the others, and what measures would be disturbed by them, so these come after them; the last group looks at what all have run. */
const GROUPS: readonly Group[] = [
  { name: 'together', layers: ['unit', 'adapters', 'db', 'workflows', 'api'] },
  { name: 'alone', layers: ['alone'] },
  { name: 'quiet', layers: ['quiet'], flags: ['--runInBand'] },
  { name: 'after', layers: ['after'], flags: ['--runInBand'] },
];

/** The port on which a test waits for a debugger. */
const DEBUGGER = '127.0.0.1:9231';
const A_DAY_MS = 86_400_000;

/** Runs all tests that the arguments of Jest name, all if they name none; answers the sum. */
export async function runJest(
  args: readonly string[],
  control: string,
  folder: string,
  runFolder: string,
): Promise<Verdict> {
  let sum: Verdict = { passed: 0, failed: 0, code: 0 };
  for (const group of groupsOf(args)) {
    const one = await runGroup(
      group,
      args,
      { ...process.env, TELLER_TEST_CONTROL: control },
      folder,
      runFolder,
    );
    sum = { passed: sum.passed + one.passed, failed: sum.failed + one.failed, code: sum.code || one.code };
  }
  // no group alone can tell that a pattern matches nothing anywhere
  if (sum.passed + sum.failed > 0) return sum;
  process.stderr.write(`No test was found for: ${args.join(' ')}\n`);
  return { ...sum, code: sum.code || 1 };
}

/** Flags of Jest whose value is the next word. */
const NAME_FLAGS = ['-t', '--testNamePattern'];

/** All groups, or those that the patterns belong to: asking Jest for one that has nothing to run costs a second. */
export function groupsOf(args: readonly string[]): readonly Group[] {
  const words = args.filter(
    (arg, at) => !NAME_FLAGS.includes(arg) && !NAME_FLAGS.includes(args[at - 1] ?? ''),
  );
  const flags = words.filter((arg) => arg.startsWith('-') && !arg.includes('=') && arg !== '--inspect');
  const patterns = words.filter((arg) => !arg.startsWith('-')).map((arg) => new RegExp(arg, 'i'));
  // another flag may have a value that only looks like a pattern
  if (flags.length > 0 || patterns.length === 0) return GROUPS;
  const matched = globSync('test/**/*.test.ts', { cwd: ROOT }).filter((file) =>
    patterns.some((pattern) => pattern.test(join(ROOT, file))),
  );
  return GROUPS.filter(({ layers }) =>
    matched.some((file) => layers.some((layer) => file.startsWith(join('test', layer, '/')))),
  );
}

async function runGroup(
  { name, layers, flags = [] }: Group,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  folder: string,
  runFolder: string,
): Promise<Verdict> {
  const results = join(folder, `results-${name}.json`);
  const debugged = args.includes('--inspect');
  if (debugged) process.stderr.write(`Waiting for a debugger on ${DEBUGGER} …\n`);
  const jest = await startChild({
    name: 'Jest',
    command: process.execPath,
    args: [
      // flags rather than NODE_OPTIONS: they reach Jest's workers but no process that a test starts
      ...['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
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
