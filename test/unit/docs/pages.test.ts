/** The pages say what is true of the project: settings, commands, links, files, decision records. */
import { expect, test } from '@jest/globals';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { documents } from '../../../dev/checks/code-examples.ts';
import { pageWithTable } from '../../../dev/checks/configuration-table.ts';
import { ROOT } from '../../../dev/service/process.ts';

const Manifest = z.object({ scripts: z.record(z.string(), z.string()) });

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const scripts = Object.keys(Manifest.parse(JSON.parse(read('package.json'))).scripts);
const pages = documents();
const isHistory = (page: string): boolean => page === 'CHANGELOG.md' || page.startsWith('docs/decisions/0');

/** The formatter pads the cells of a table. */
const unpadded = (text: string): string => text.replace(/ +\|/g, ' |').replace(/-{3,}/g, '---');
/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

test('the table of settings is made from the schema that checks them', () => {
  const { now, wanted } = pageWithTable();
  expect(unpadded(now)).toBe(unpadded(wanted));
});

test.each(pages)('every command that the page names exists: %s', (page) => {
  const named = [...read(page).matchAll(/(?:`|^)npm (?:run )?([a-z:]+)/gm)].map(([, name = '']) => name);
  expect(named.filter((name) => !scripts.includes(name))).toEqual([]);
});

test('the README names every command', () => {
  const readme = read('README.md');
  const missing = scripts.filter((name) => !new RegExp(`npm (run )?${name}(?![a-z:])`).test(readme));
  expect(missing).toEqual([]);
});

test.each(pages)('every link of the page leads somewhere: %s', (page) => {
  const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
  for (const [, path = '', anchor] of links) {
    const target = path === '' ? page : join(dirname(page), path);
    expect({ target, exists: existsSync(join(ROOT, target)) }).toEqual({ target, exists: true });
    if (anchor === undefined) continue;
    const headings = [...read(target).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));
    expect(headings).toContain(anchor);
  }
});

test.each(pages.filter((page) => !isHistory(page)))('every file that the page names exists: %s', (page) => {
  const tracked =
    /`((?:api|db|domain|adapters|workflows|activities|workers|dev|tools|test|bench|docs)\/[\w./-]+\.\w+)`/g;
  const typed = [...read(page).matchAll(/<!-- type this: (\S+) -->/g)].map(([, file = '']) => file);
  const named = [...read(page).matchAll(tracked)].map(([, file = '']) => file);
  const missing = named.filter((file) => !typed.includes(file) && !existsSync(join(ROOT, file)));
  expect(missing).toEqual([]);
});

test('every test that docs/security.md names exists', () => {
  const folders = '{test/api/identity,test/api/security}';
  const known = globSync(`${folders}/*.test.ts`, { cwd: ROOT }).map((file) => file.split('/').at(-1));
  const named = [...read('docs/security.md').matchAll(/`([a-z-]+\.test\.ts)`/g)].map(([, file]) => file);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((file) => !known.includes(file))).toEqual([]);
});

test('every decision record is in the index, with its number and title', () => {
  const index = read('docs/decisions/README.md');
  const records = readdirSync(join(ROOT, 'docs/decisions')).filter((file) => /^\d{4}-/.test(file));
  expect(records.length).toBeGreaterThan(30);
  for (const file of records) {
    const [, number = '', title = ''] = /^# 0*(\d+)[.:] (.*)/.exec(read(`docs/decisions/${file}`)) ?? [];
    expect(file.slice(0, 4)).toBe(number.padStart(4, '0'));
    const line = index.split('\n').find((entry) => entry.includes(`(${file})`)) ?? `no line for ${file}`;
    expect(line.toLowerCase()).toContain(title.toLowerCase());
    expect(line).toContain(`| ${file.slice(0, 4)} `);
    expect(line).toMatch(/\| (in force|replaced by \d{4}) +\|$/);
  }
});
