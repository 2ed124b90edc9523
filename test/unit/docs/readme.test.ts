/** The README says what is true of the code. */
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ROOT } from '../../../dev/service/process.ts';
import { readmeWithTable } from '../../../dev/checks/configuration-table.ts';

const Manifest = z.object({ scripts: z.record(z.string(), z.string()) });

/** The formatter pads the cells of a table. */
const unpadded = (text: string): string => text.replace(/ +\|/g, ' |').replace(/-{3,}/g, '---');

test('its table of variables is the one that the configuration is checked by', () => {
  const { now, wanted } = readmeWithTable();
  expect(unpadded(now)).toBe(unpadded(wanted));
});

test('every command that it names is there', () => {
  const readme = readmeWithTable().now;
  const manifest = readFileSync(join(ROOT, 'package.json'), 'utf8');
  const scripts = new Set(Object.keys(Manifest.parse(JSON.parse(manifest)).scripts));
  const named = [...readme.matchAll(/`npm (?:run )?([a-z:]+)/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !scripts.has(name))).toEqual([]);
});
