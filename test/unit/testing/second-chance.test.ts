/** Which failures may be chance, and which are final. */
import { expect, test } from '@jest/globals';
import { whyFinal, type Evidence } from '../../../dev/testing/second-chance.ts';
import type { Failure } from '../../../dev/testing/results.ts';

const CALM: Evidence = { changed: new Set(), ended: [], log: [], known: [] };

function failure(differs: Partial<Failure> = {}): Failure {
  return {
    ...{ file: 'test/db/sweeps.test.ts', test: 'old rows go', loaded: true, reason: 'Error: too late' },
    ...{ seed: undefined, message: 'Error: too late', from: 10_000, to: 20_000, ...differs },
  };
}

const inFiles = (count: number): Failure[] =>
  Array.from({ length: count }, (_, at) => failure({ file: `test/db/${String(at)}.test.ts` }));
const title = 'test/db/sweeps.test.ts › old rows go';
const entry = { test: title, error: 'Error: too late', known: 'nothing yet' };

test('a single failure without a reason to look closer may be chance', () => {
  expect(whyFinal([failure()], CALM)).toBeUndefined();
  expect(whyFinal([failure()], { ...CALM, changed: undefined })).toBeUndefined();
});

test('three failed files may be chance, a fourth makes them final', () => {
  expect(whyFinal(inFiles(3), CALM)).toBeUndefined();
  expect(whyFinal(inFiles(4), CALM)).toMatch('4 files failed');
});

test('many failures of one file count as one file', () => {
  const many = Array.from({ length: 5 }, (_, at) => failure({ test: String(at) }));
  expect(whyFinal(many, CALM)).toBeUndefined();
});

test.each([
  ['Property failed after 3 tests\n{ seed: 42, path: "1:0" }', 'a property has a counterexample'],
  ['> 12 |   await bank.expectBooksBalanced();', 'the books were checked'],
  ['> 12 |   expect(await brokenChecks(em)).toEqual([]);', 'the books were checked'],
  ['DeterminismViolationError: Replay failed with a nondeterminism error', 'a process did not replay'],
  ['[TMPRL1100] Nondeterminism error', 'a process did not replay'],
  ['expect(deadlocksSince(before)).toBe(0)', 'deadlocks were counted'],
])('a failure that says %j is final', (message, why) => {
  expect(whyFinal([failure({ message })], CALM)).toMatch(why);
});

test('a failure in a file that the change touches is final', () => {
  const changed = new Set(['test/db/sweeps.test.ts']);
  expect(whyFinal([failure()], { ...CALM, changed })).toMatch('the change touches this file');
});

test('a file that could not be loaded is final', () => {
  expect(whyFinal([failure({ loaded: false })], CALM)).toMatch('could not be loaded');
});

test('a process of the service that ended by itself makes every failure final', () => {
  expect(whyFinal([failure()], { ...CALM, ended: ['worker'] })).toBe('worker ended by itself');
});

test('an error that API or worker logged while the test ran makes its failure final', () => {
  const at = (time: number, isError: boolean): Evidence => ({
    ...CALM,
    log: [{ part: 'api', time, isError, text: '{}' }],
  });
  expect(whyFinal([failure()], at(15_000, true))).toMatch('the api logged an error meanwhile');
  expect(whyFinal([failure()], at(15_000, false))).toBeUndefined();
  expect(whyFinal([failure()], at(25_000, true))).toBeUndefined();
});

test('a third failure by chance of the same test is final', () => {
  const known = [{ ...entry, seen: ['2026-11-01'] }];
  expect(whyFinal([failure()], { ...CALM, known })).toBeUndefined();
  const twice = [{ ...entry, seen: ['2026-11-01', '2026-11-02'] }];
  expect(whyFinal([failure()], { ...CALM, known: twice })).toMatch('2 times already');
});

test('a failure by chance is final if the list of such tests is full', () => {
  const known = Array.from({ length: 5 }, (_, at) => ({
    ...entry,
    test: `test/x.test.ts › ${String(at)}`,
    seen: ['2026-11-01'],
  }));
  expect(whyFinal([failure()], { ...CALM, known })).toMatch('more than five');
  expect(
    whyFinal([failure()], { ...CALM, known: [{ ...entry, seen: ['2026-11-01'] }, ...known.slice(1)] }),
  ).toBeUndefined();
});
