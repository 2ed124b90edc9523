/** What is read out of the results of Jest, and what is said of them at the end. */
import { expect, test } from '@jest/globals';
import { readOutcome } from '../../../dev/testing/results.ts';
import { closingLines } from '../../../dev/testing/report.ts';

const file = { startTime: 1_000, endTime: 9_000 };
const passedTest = {
  fullName: 'a passes',
  status: 'passed',
  failureMessages: [],
  startAt: 1_100,
  duration: 5,
};

const json = {
  numPassedTests: 1,
  numFailedTests: 1,
  numRuntimeErrorTestSuites: 1,
  testResults: [
    {
      ...file,
      name: '/teller/test/db/fine.test.ts',
      status: 'passed',
      message: '',
      assertionResults: [passedTest],
    },
    {
      ...file,
      name: '/teller/test/db/wrong.test.ts',
      status: 'failed',
      message: '  \u001b[31m● b fails\u001b[39m\n\n    Property failed after 3 tests',
      assertionResults: [
        {
          fullName: 'b fails',
          status: 'failed',
          failureMessages: [
            '\u001b[31mError: Property failed after 3 tests\u001b[39m\n{ seed: -42, path: "1:0" }\n at x',
          ],
          startAt: 2_000,
          duration: 500,
        },
      ],
    },
    {
      ...file,
      name: '/teller/test/db/broken.test.ts',
      status: 'failed',
      message: '  ● Test suite failed to run\n\n    Cannot find module ./nowhere.ts',
      assertionResults: [],
    },
  ],
};

test('a failed test is told with its file, its name, the first lines of its error, its seed and its time', () => {
  const { failures } = readOutcome(json, '/teller');
  expect(failures[0]).toMatchObject({
    ...{ file: 'test/db/wrong.test.ts', test: 'b fails', loaded: true, seed: '-42' },
    ...{ reason: 'Error: Property failed after 3 tests\n{ seed: -42, path: "1:0" }', from: 2_000, to: 2_500 },
  });
});

test('the seed of dice is told like the seed of a property', () => {
  const [, wrong] = json.testResults;
  const dice = { ...wrong?.assertionResults[0], failureMessages: ['Error: with TEST_SEED=7: two of them'] };
  const { failures } = readOutcome(
    { ...json, testResults: [{ ...wrong, assertionResults: [dice] }] },
    '/teller',
  );
  expect(failures.map(({ seed }) => seed)).toEqual(['7']);
});

test('a file that cannot be loaded counts as one failure and is told with the reason', () => {
  const outcome = readOutcome(json, '/teller');
  expect(outcome).toMatchObject({ passed: 1, failed: 2 });
  expect(outcome.failures[1]).toMatchObject({
    ...{ file: 'test/db/broken.test.ts', test: undefined, loaded: false },
    reason: 'Cannot find module ./nowhere.ts',
  });
});

test('the closing lines name what failed, then what is flaky, and end with the counts', () => {
  const { failures } = readOutcome(json, '/teller');
  const error = {
    part: 'worker',
    time: 2_100,
    isError: true,
    text: '{"level":50,"msg":"a relay failed"}',
  } as const;
  const lines = closingLines(
    { passed: 7, failed: 1, failures: failures.slice(0, 1), flaky: failures.slice(1), remark: undefined },
    [error],
  );
  expect(lines).toEqual([
    '',
    '=== failed',
    'FAILED test/db/wrong.test.ts › b fails',
    '  Error: Property failed after 3 tests',
    '  { seed: -42, path: "1:0" }',
    '  seed -42',
    '  worker: {"level":50,"msg":"a relay failed"}',
    '',
    'flaky: test/db/broken.test.ts',
    '7 passed, 1 failed',
  ]);
});
