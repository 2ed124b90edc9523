/** How files of SQL are laid out, so that they all read alike. */
import { expect, test } from '@jest/globals';
import { functionFiles } from '../../../db/migrating/functions.ts';
import { migrationFiles } from '../../../db/migrating/migrations.ts';

const LONGEST_LINE = 110;
const functions = functionFiles().map(({ name, text }) => [`functions/${name}`, text] as const);
const files = [
  ...functions,
  ...[...migrationFiles()].map(([path, text]) => [`migrations/${path}`, text] as const),
];

/** Words that people write in capitals elsewhere; here they are lower case, as all else is. */
const KEYWORDS =
  /\b(SELECT|INSERT|UPDATE|DELETE|FROM|WHERE|JOIN|CREATE|ALTER|DROP|TABLE|FUNCTION|TRIGGER|INDEX|CONSTRAINT|CHECK|PRIMARY|FOREIGN|REFERENCES|NOT|NULL|DEFAULT|RETURNS|LANGUAGE|BEGIN|END|IF|THEN|ELSE|LOOP|RETURN|DECLARE|GRANT|REVOKE|VALUES|AND|OR|IN|AS|ON|BY|CASE|WHEN)\b/;

/** The lines of all files for which something holds, each with its place. */
function linesWhere(holds: (line: string) => boolean): string[] {
  return files.flatMap(([path, text]) =>
    text.split('\n').flatMap((line, at) => (holds(line) ? [`${path}:${at + 1}: ${line}`] : [])),
  );
}

test(`no line is longer than ${LONGEST_LINE} characters`, () => {
  expect(linesWhere((line) => [...line].length > LONGEST_LINE)).toEqual([]);
});

test('no line has a tab or ends with blanks', () => {
  expect(linesWhere((line) => /\t|\s$/.test(line))).toEqual([]);
});

test('every file ends with one line break', () => {
  expect(files.filter(([, text]) => !/[^\n]\n$/.test(text)).map(([path]) => path)).toEqual([]);
});

test('keywords are lower case', () => {
  const code = (line: string): string => line.replace(/'(?:[^']|'')*'|"[^"]*"|--.*/g, '');
  expect(linesWhere((line) => KEYWORDS.test(code(line)))).toEqual([]);
});

test('every file begins with a comment that says what is in it', () => {
  expect(files.filter(([, text]) => !text.startsWith('-- ')).map(([path]) => path)).toEqual([]);
});

test('every function has a comment before it that says what it is for', () => {
  const bare = files.flatMap(([path, text]) =>
    [...text.matchAll(/^(.*)\ncreate (?:or replace )?function (\w+)/gm)]
      .filter(([, before = '']) => !before.startsWith('--'))
      .map(([, , name]) => `${path}: ${name}`),
  );
  expect(bare).toEqual([]);
});

test('files of functions can be applied again and again', () => {
  const once = functions.flatMap(([path, text]) =>
    [...text.matchAll(/^create (?!or replace |constraint trigger ).*$/gm)].map(
      ([line]) => `${path}: ${line}`,
    ),
  );
  expect(once).toEqual([]);
  for (const [path, text] of functions)
    for (const [, name] of text.matchAll(/^create constraint trigger (\w+)/gm))
      expect(`${path}: ${text}`).toContain(`drop trigger if exists ${name} on `);
});
