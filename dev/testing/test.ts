/**
 * `npm test [-- arguments of Jest]`: runs Jest, which has a stack started on free ports if a test needs one, or uses the one that
 * `npm run stack` keeps up. `--inspect` waits for a debugger. Without arguments all tests of the gate run, one such run at a time on a
 * machine, and a file that failed by chance is told from one that is broken. The last line says how many tests passed and failed.
 */
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { stopOnSignals } from '../../tools/devstack/process/supervisor.ts';
import { changedFiles } from './change.ts';
import { readKnownFlaky } from './flaky.ts';
import { groupsOf } from './groups.ts';
import { runJest } from './jest.ts';
import { closingLines, keepResults, type Verdict } from './report.ts';
import type { Failure, Outcome } from './results.ts';
import { areTooMany, filesOf, runAlone, whyFinal } from './second-chance.ts';
import { readServiceLogs, type LogLine } from './service-log.ts';
import { abandonTestRuns, closeTestRuns, keepLogs, openTestRun, type TestRun } from './test-run.ts';
import { inTurn } from './turn.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const args = process.argv.slice(2);
const isGate = args.length === 0;
/** One for each worker of Jest, as far as that is worth their start. */
const BANKS = Math.min(availableParallelism(), 4);

let stopping = false;
stopOnSignals(() => {
  stopping = true;
  return closeTestRuns();
}, abandonTestRuns);

try {
  await (isGate ? inTurn(say, runAll) : runAll());
} catch (error) {
  // what ends because it is being stopped is no failure
  if (!stopping) {
    say(error instanceof Error ? error.message : String(error));
    process.stdout.write('\n0 passed, 1 failed\n');
  }
  process.exitCode = 1;
}

async function runAll(): Promise<void> {
  const run = await openTestRun({ say, shared: true, banks: isGate ? BANKS : 1 });
  const outcome = await runGroups(run);
  const log = readServiceLogs(run.logs);
  if (outcome.failed > 0 && !stopping) {
    const kept = keepLogs(run);
    if (kept !== undefined) say(`What the service said is kept in ${relative(process.cwd(), kept)}/.`);
  }
  const evidence = { ended: run.ended(), log };
  await run.close();
  if (stopping) return;
  const verdict = await judge(outcome, evidence);
  keepResults(verdict, log);
  process.stdout.write(`${closingLines(verdict, log).join('\n')}\n`);
  process.exitCode = verdict.failed > 0 || verdict.passed === 0 ? 1 : 0;
}

/** Runs group after group and adds up what they found. */
async function runGroups(run: TestRun): Promise<Outcome> {
  const sum = { passed: 0, failed: 0, failures: new Array<Failure>() };
  for (const group of groupsOf(args)) {
    // a few may have failed by chance, and pass when they run again; what all must have run can only be asked now
    if (group.name === 'after' && areTooMany(sum.failures)) {
      say('What all tests together must have run was not asked, since many have failed.');
      continue;
    }
    const begun = performance.now();
    const outcome = (await runJest(group, args, run)) ?? notRun(group.name, run.failure());
    sum.passed += outcome.passed;
    sum.failed += outcome.failed;
    sum.failures.push(...outcome.failures);
    say(`The group ${group.name} took ${((performance.now() - begun) / 1000).toFixed(0)} s.`);
    // without a stack the next group would only wait for it once more
    if (run.failure() !== undefined) break;
  }
  // no group alone can tell that a pattern matches nothing anywhere
  if (sum.passed + sum.failed === 0) say(`No test was found for: ${args.join(' ')}`);
  return sum;
}

function notRun(group: string, failure: string | undefined): Outcome {
  const reason = failure === undefined ? 'Jest ended without results' : `The stack did not start: ${failure}`;
  const now = Date.now();
  const told = { file: `test/${group}`, test: undefined, loaded: false, reason, seed: undefined };
  return { passed: 0, failed: 1, failures: [{ ...told, message: reason, from: now, to: now }] };
}

/** Lets the files that may have failed by chance run again, and says what that changes. */
async function judge(
  outcome: Outcome,
  evidence: { readonly ended: readonly string[]; readonly log: readonly LogLine[] },
): Promise<Verdict> {
  const final = { ...outcome, flaky: [], remark: undefined };
  if (!isGate || outcome.failures.length === 0) return final;
  const why = whyFinal(outcome.failures, { ...evidence, changed: changedFiles(), known: readKnownFlaky() });
  if (why !== undefined) return { ...final, remark: `No second chance: ${why}.` };
  const passed = new Set(await runAlone(filesOf(outcome.failures), say));
  const flaky = outcome.failures.filter(({ file }) => passed.has(file));
  return {
    passed: outcome.passed + flaky.length,
    failed: outcome.failed - flaky.length,
    failures: outcome.failures.filter(({ file }) => !passed.has(file)),
    flaky,
    remark: undefined,
  };
}
