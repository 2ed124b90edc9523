/** What Jest writes down of a run, read into what the gate has to know: how many passed, and what failed, where, when and why. */
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';

export interface Failure {
  /** From the root of the project: `test/db/sweeps.test.ts`. */
  readonly file: string;
  /** The whole name; undefined if the file itself failed: it could not be loaded, or something outside of its tests threw. */
  readonly test: string | undefined;
  /** False if the file had no test yet when it failed. */
  readonly loaded: boolean;
  /** The first lines of its error, without the stack. */
  readonly reason: string;
  /** With which random inputs a property was shown to be wrong. */
  readonly seed: string | undefined;
  /** All that Jest says of the file's failures, source lines among it. */
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
}

export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly Failure[];
}

const Assertion = z.object({
  fullName: z.string(),
  status: z.string(),
  failureMessages: z.array(z.string()),
  startAt: z.number().nullish(),
  duration: z.number().nullish(),
});
const Results = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numRuntimeErrorTestSuites: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      startTime: z.number(),
      endTime: z.number(),
      assertionResults: z.array(Assertion),
    }),
  ),
});
const MOST_LINES = 5;
type FileResult = z.output<typeof Results>['testResults'][number];

/** Reads the file of `jest --json --outputFile`; `root` is the folder of the project. */
export function readOutcome(json: unknown, root: string): Outcome {
  const results = Results.parse(json);
  return {
    passed: results.numPassedTests,
    // a file that could not even be loaded counts as one failure, or a broken import would read "0 failed"
    failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
    failures: results.testResults
      .filter(({ status }) => status === 'failed')
      .flatMap((result) => failuresOf(result, relative(root, result.name))),
  };
}

function failuresOf(result: FileResult, file: string): Failure[] {
  const message = stripVTControlCharacters(result.message);
  const common = { file, message, loaded: result.assertionResults.length > 0 };
  const failed = result.assertionResults.filter(({ status }) => status === 'failed');
  if (failed.length === 0) {
    const reason = firstLines(message.replace(/^\s*● .*$/m, ''));
    const [from, to] = [result.startTime, result.endTime];
    return [{ ...common, test: undefined, reason, seed: seedIn(message), from, to }];
  }
  return failed.map(({ fullName, failureMessages, startAt, duration }) => {
    const text = stripVTControlCharacters(failureMessages.join('\n'));
    const from = startAt ?? result.startTime;
    const to = duration == null ? result.endTime : from + duration;
    return { ...common, test: fullName, reason: firstLines(text), seed: seedIn(text), from, to };
  });
}

function firstLines(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const stack = lines.findIndex((line) => /^at\s/.test(line));
  const told = lines.slice(0, stack < 0 ? MOST_LINES : Math.min(stack, MOST_LINES));
  return told.length === 0 ? 'no reason was given' : told.join('\n');
}

/** fast-check prints `seed: 123` with its counterexample, and what rolls dice `TEST_SEED=123`. */
function seedIn(text: string): string | undefined {
  return /(?:\bseed: |\bTEST_SEED=)(-?\d+)/.exec(text)?.[1];
}
