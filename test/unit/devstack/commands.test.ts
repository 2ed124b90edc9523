/** The arguments of the developer's commands, and what they print. */
import { expect, test } from '@jest/globals';
import { alignedTable } from '../../../dev/console/aligned-table.ts';
import { readPsqlOptions } from '../../../dev/console/psql-options.ts';
import { belongsTo, listed } from '../../../dev/service/restart-on-save.ts';
import { readStartOptions } from '../../../dev/service/start-options.ts';

test('a start neither watches nor lets debuggers in unless it is asked to', () => {
  expect(readStartOptions([])).toMatchObject({ watch: false, inspect: false });
  expect(readStartOptions(['--watch', '--inspect'])).toMatchObject({ watch: true, inspect: true });
});

test('an unknown flag of a start is refused', () => {
  expect(() => readStartOptions(['--inpsect'])).toThrow('--inpsect');
});

test('psql is opened as the owner, and as the application where that is asked for', () => {
  expect(readPsqlOptions([])).toEqual({ role: 'owner', rest: [], statement: undefined });
  expect(readPsqlOptions(['--app', '-x'])).toEqual({ role: 'app', rest: ['-x'], statement: undefined });
});

test.each([
  [['-c', 'select 1'], 'select 1'],
  [['--command', 'select 1'], 'select 1'],
  [['--command=select\n1'], 'select\n1'],
  [['-cselect 1'], 'select 1'],
  [['-c', 'select 1', '-x'], undefined],
  [['-x', '-c', 'select 1'], undefined],
  [['-c'], undefined],
])('without psql, %j runs the statement %j', (args, statement) => {
  expect(readPsqlOptions(args).statement).toBe(statement);
});

test('rows are printed in columns', () => {
  const result = {
    ...{ command: 'SELECT', rowCount: 2, fields: [{ name: 'id' }, { name: 'nickname' }] },
    rows: [
      ['1', 'Household'],
      ['22', null],
    ],
  };
  const lines = [' id | nickname', '----+-----------', ' 1  | Household', ' 22 |', '(2 rows)'];
  expect(alignedTable(result)).toBe(lines.join('\n'));
});

test('a statement without rows is told by its command', () => {
  expect(alignedTable({ command: 'UPDATE', rowCount: 3, fields: [], rows: [] })).toBe('UPDATE 3');
});

test('a path belongs to its file or to a folder above it, not to one whose name begins alike', () => {
  expect(belongsTo('config.ts', ['config.ts'])).toBe(true);
  expect(belongsTo('db/queries/identity/people.ts', ['db'])).toBe(true);
  expect(belongsTo('dbx/people.ts', ['db'])).toBe(false);
});

test('of many saved files the first three are named', () => {
  expect(listed(['a', 'b'])).toBe('a, b');
  expect(listed(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c, 2 more');
});
