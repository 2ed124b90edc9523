/** One version: of the package, of its newest release, of the API's document. */
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { openApiDocument } from '../../../api/derived/openapi.ts';
import { ROOT } from '../../../dev/service/process.ts';

const Versioned = z.object({ version: z.string() });
const Manifest = Versioned.extend({ name: z.string() });
const Lock = Versioned.extend({ packages: z.object({ '': Versioned }) });
const OpenApi = z.object({ info: Versioned });

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const { version } = Manifest.parse(JSON.parse(read('package.json')));
const released = [...read('CHANGELOG.md').matchAll(/^## \[(\d+)\.(\d+)\.(\d+)\] - (\d{4}-\d\d-\d\d)$/gm)];

test('the newest release in the changelog is the version of the package', () => {
  const [newest] = released;
  expect(newest?.slice(1, 4).join('.')).toBe(version);
});

test('the changelog lists releases newest first, below what is unreleased', () => {
  const numbers = released.map(([, major, minor, patch]) => [major, minor, patch].map(Number));
  const newestFirst = numbers.toSorted(
    ([a = 0, b = 0, c = 0], [x = 0, y = 0, z = 0]) => x - a || y - b || z - c,
  );
  expect(numbers).toEqual(newestFirst);
  const dates = released.map(([, , , , date = '']) => date);
  expect(dates).toEqual(dates.toSorted().toReversed());
  expect(read('CHANGELOG.md').match(/^## .*$/m)?.[0]).toBe('## [Unreleased]');
});

test('the OpenAPI document has the version of the package', () => {
  const document = OpenApi.parse(openApiDocument([], 'http://127.0.0.1:3000'));
  expect(document.info.version).toBe(version);
});

test('the lock file has the version of the package', () => {
  const lock = Lock.parse(JSON.parse(read('package-lock.json')));
  expect([lock.version, lock.packages[''].version]).toEqual([version, version]);
});
