/**
 * A file that failed beside others may have failed by chance: up to three such files run again, each alone on a fresh stack, three
 * times. A file that passes each time is flaky, and the gate reports it; any other file has failed. A failure that cannot be chance is
 * final at once.
 */
import { groupOf } from './groups.ts';
import { runJest } from './jest.ts';
import { MOST_KNOWN, MOST_TIMES, type KnownFlaky } from './flaky.ts';
import type { Failure } from './results.ts';
import { linesWithin, type LogLine } from './service-log.ts';
import { openTestRun } from './test-run.ts';

const MOST_FILES = 3;
const ROUNDS = 3;

export interface Evidence {
  /** The files that the change touches; undefined if it is not known what the change is. */
  readonly changed: ReadonlySet<string> | undefined;
  /** Processes of the service that ended by themselves. */
  readonly ended: readonly string[];
  readonly log: readonly LogLine[];
  readonly known: KnownFlaky;
}

/** What a failure says if money, a replay, a property or a lock was wrong: that is looked into, never tried again. */
const NEVER_CHANCE: readonly (readonly [RegExp, string])[] = [
  [/Property failed after \d+ test|Counterexample:/, 'a property has a counterexample'],
  [/expectBooksBalanced|brokenChecks/, 'the books were checked'],
  [/nondeterminism|DeterminismViolation|TMPRL1100/i, 'a process did not replay'],
  [/deadlock/i, 'deadlocks were counted'],
];

export const titleOf = ({ file, test }: Failure): string => (test === undefined ? file : `${file} › ${test}`);

export function filesOf(failures: readonly Failure[]): string[] {
  return [...new Set(failures.map(({ file }) => file))];
}

/** True if so many files failed that it cannot be chance. */
export const areTooMany = (failures: readonly Failure[]): boolean => filesOf(failures).length > MOST_FILES;

/** Why these failures are final; undefined if their files may run again. */
export function whyFinal(failures: readonly Failure[], evidence: Evidence): string | undefined {
  if (areTooMany(failures)) return `${String(filesOf(failures).length)} files failed, which is no chance`;
  if (evidence.ended.length > 0) return `${evidence.ended.join(' and ')} ended by itself`;
  const titles = new Set(failures.map(titleOf));
  const isKnown = evidence.known.filter(({ test }) => titles.has(test));
  if (evidence.known.length - isKnown.length + titles.size > MOST_KNOWN)
    return 'test/flaky.json would hold more than five tests';
  for (const failure of failures) {
    const why = whyFinalAlone(failure, evidence);
    if (why !== undefined) return `${titleOf(failure)}: ${why}`;
  }
  return undefined;
}

function whyFinalAlone(failure: Failure, { changed, log, known }: Evidence): string | undefined {
  if (!failure.loaded) return 'the file could not be loaded';
  if (changed?.has(failure.file) === true) return 'the change touches this file';
  const before = known.find(({ test }) => test === titleOf(failure));
  if (before !== undefined && before.seen.length >= MOST_TIMES)
    return `it is in test/flaky.json ${String(before.seen.length)} times already`;
  const kind = NEVER_CHANCE.find(([pattern]) => pattern.test(failure.message));
  if (kind !== undefined) return kind[1];
  const error = linesWithin(log, failure.from, failure.to).find(({ isError }) => isError);
  return error === undefined ? undefined : `the ${error.part} logged an error meanwhile`;
}

/** Runs each file alone; returns those that passed each time. */
export async function runAlone(files: readonly string[], say: (line: string) => void): Promise<string[]> {
  const passed: string[] = [];
  for (const file of files) {
    say(`\n=== second chance: ${file}, alone on a fresh stack, ${String(ROUNDS)} times`);
    if (await passesAlone(file, say)) passed.push(file);
  }
  return passed;
}

async function passesAlone(file: string, say: (line: string) => void): Promise<boolean> {
  const group = groupOf(file);
  if (group === undefined) throw new Error(`${file} is in no group`);
  const run = await openTestRun({ say, shared: false, banks: 1 });
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const outcome = await runJest(group, [file], run);
      if (outcome === undefined || outcome.failed > 0 || run.ended().length > 0) return false;
    }
    return true;
  } finally {
    await run.close();
  }
}
