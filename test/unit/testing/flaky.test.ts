/** The list of tests that fail by chance stays short and young, and a release has none. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { KnownFlaky, readKnownFlaky } from '../../../dev/testing/flaky.ts';

const TWO_WEEKS_MS = 14 * 86_400_000;
const known = readKnownFlaky();

test('each test that fails by chance is still there, and younger than two weeks', () => {
  for (const { test: title, seen } of known) {
    expect(existsSync(title.split(' › ')[0] ?? '')).toBe(true);
    expect(Date.now() - Date.parse(seen[0] ?? '')).toBeLessThan(TWO_WEEKS_MS);
  }
});

test('a sixth test that fails by chance is refused', () => {
  const entry = { test: 'test/a › b', error: 'e', seen: ['2026-11-01'], known: 'k' };
  const six = Array.from({ length: 6 }, () => entry);
  expect(KnownFlaky.safeParse(six.slice(1)).success).toBe(true);
  expect(KnownFlaky.safeParse(six).success).toBe(false);
});

test('a release knows of no test that fails by chance', () => {
  const [, unreleased = ''] = readFileSync('CHANGELOG.md', 'utf8').split(/^## .*$/m);
  const isRelease = unreleased.trim() === '';
  expect(isRelease ? known : []).toEqual([]);
});
