/** What a run prints at its end and keeps in `.data/test-results.json`. Names come last, so that nobody has to scroll for them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../service/process.ts';
import type { Failure } from './results.ts';
import { titleOf } from './second-chance.ts';
import { linesWithin, type LogLine } from './service-log.ts';

export interface Verdict {
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly Failure[];
  /** What failed beside others and passed three times alone. */
  readonly flaky: readonly Failure[];
  /** Why nothing, or no more, was tried again. */
  readonly remark: string | undefined;
}

/** Lines of each log that are kept for a failure, the last ones before its end. */
const MOST_LINES = 40;
/** Errors of API and worker that are printed with a failure. */
const MOST_ERRORS = 3;
const LONGEST = 300;

/** The closing lines; the last one is `N passed, N failed`, after a line for each flaky test. */
export function closingLines(verdict: Verdict, log: readonly LogLine[]): string[] {
  const { passed, failed, failures, flaky, remark } = verdict;
  return [
    ...(failures.length === 0 ? [] : ['', '=== failed']),
    ...failures.flatMap((failure) => [
      `FAILED ${titleOf(failure)}`,
      ...failure.reason.split('\n').map((line) => `  ${line.slice(0, LONGEST)}`),
      ...(failure.seed === undefined ? [] : [`  seed ${failure.seed}`]),
      ...linesWithin(log, failure.from, failure.to)
        .filter(({ isError }) => isError)
        .slice(0, MOST_ERRORS)
        .map(({ part, text }) => `  ${part}: ${text.slice(0, LONGEST)}`),
    ]),
    ...(remark === undefined ? [] : [remark]),
    '',
    ...flaky.map((failure) => `flaky: ${titleOf(failure)}`),
    `${String(passed)} passed, ${String(failed)} failed`,
  ];
}

/** Writes `.data/test-results.json`: each failure with the lines that API and worker logged meanwhile. */
export function keepResults(verdict: Verdict, log: readonly LogLine[]): void {
  const told = (failure: Failure): object => ({
    title: titleOf(failure),
    ...failure,
    log: linesWithin(log, failure.from, failure.to)
      .slice(-MOST_LINES)
      .map(({ part, text }) => `${part}: ${text}`),
  });
  const { failures, flaky, ...counts } = verdict;
  mkdirSync(join(ROOT, '.data'), { recursive: true });
  writeFileSync(
    join(ROOT, '.data', 'test-results.json'),
    JSON.stringify({ ...counts, failures: failures.map(told), flaky: flaky.map(told) }, undefined, 2),
  );
}
