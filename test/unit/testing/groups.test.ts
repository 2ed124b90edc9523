/** Which tests run for which arguments. */
import { globSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { groupOf, groupsOf } from '../../../dev/testing/groups.ts';

const GATE = ['together', 'alone', 'after'];

test.each([
  [[], GATE],
  [['unit/domain'], ['together']],
  [['test/alone/', '--inspect'], ['alone']],
  [['test/faults'], ['faults']],
  [['contract', '-t', 'alone'], ['together']],
  [['-t', 'timing'], GATE],
  [['no such file'], []],
  [
    ['unit/domain', '--maxWorkers', '1'],
    [...GATE, 'faults'],
  ],
])('for the arguments %j Jest is asked to run %j', (args, groups) => {
  expect(groupsOf(args).map(({ name }) => name)).toEqual(groups);
});

test('every file of tests belongs to a group', () => {
  const files = globSync('test/**/*.test.ts');
  expect(files.length).toBeGreaterThan(200);
  expect(files.filter((file) => groupOf(file) === undefined)).toEqual([]);
});
