/** A landed migration is never edited, and a database is migrated only by a release that knows it. */
import { expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  adoptsBaseline,
  BASELINE,
  migrationFiles,
  MigrationRefused,
  migrations,
} from '../../../db/migrating/migrations.ts';

const LANDED = join(import.meta.dirname, '..', '..', '..', 'db', 'migrations', 'landed.json');
const known = migrations().map(({ name }) => name);
const BEFORE = ['0030-proofs-and-devices', '0031-value-days-and-locks'];

test('every migration has its hash in landed.json, and none was edited after it got there', () => {
  const landed: unknown = JSON.parse(readFileSync(LANDED, 'utf8'));
  const hashes = [...migrationFiles()].map(([path, text]) => [
    path,
    createHash('sha256').update(text).digest('hex'),
  ]);
  expect(landed).toEqual(Object.fromEntries(hashes));
});

test('migrations run in the order of their numbers, and no number is used twice', () => {
  const numbers = known.map((name) => /^(\d{4})-[a-z0-9-]+$/.exec(name)?.[1]);
  expect(numbers).toEqual([...new Set(numbers)].sort());
  expect(known[0]).toBe(BASELINE);
});

test('a new database, and one that has run the baseline, adopt nothing', () => {
  expect(adoptsBaseline([], known)).toBe(false);
  expect(adoptsBaseline(known, known)).toBe(false);
  expect(adoptsBaseline([...BEFORE, ...known], known)).toBe(false);
});

test('a database at 0031 adopts the baseline', () => {
  expect(adoptsBaseline(BEFORE, known)).toBe(true);
});

test('a database older than 0031 is refused with the migration it is at', () => {
  expect(() => adoptsBaseline(['0030-proofs-and-devices'], known)).toThrow(MigrationRefused);
  expect(() => adoptsBaseline(['0030-proofs-and-devices'], known)).toThrow(
    /up to 0030-proofs-and-devices only/,
  );
});

test('a database that a newer release has migrated is refused with the migration that is not known', () => {
  expect(() => adoptsBaseline([...known, '9999-of-a-newer-release'], known)).toThrow(
    /has run 9999-of-a-newer-release, which this release does not know/,
  );
});
