/** The code map shows the folders and import rules that there are. */
import { expect, test } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mayImport } from '../../../dev/checks/borders.mjs';
import { blocksOf } from '../../../dev/checks/code-examples.ts';
import { ROOT } from '../../../dev/service/process.ts';

const page = readFileSync(join(ROOT, 'docs/code-map.md'), 'utf8');
const NODE = /^(\w+)(?: --> (\w+(?: & \w+)*))?$/;

/** The arrows of the picture, by the folder that they leave. */
function arrows(): Record<string, string[]> {
  const picture = blocksOf(page).find(({ language }) => language === 'mermaid')?.text ?? '';
  const [head, ...lines] = picture.trim().split('\n');
  expect(head).toBe('flowchart TD');
  const found: Record<string, string[]> = {};
  for (const line of lines) {
    const [, from = '', to] = NODE.exec(line.trim()) ?? [];
    expect({ line, isArrow: from !== '' }).toEqual({ line, isArrow: true });
    found[from] = [...(found[from] ?? []), ...(to?.split(' & ') ?? [])];
  }
  return found;
}

const sorted = (rules: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(rules).map(([folder, others]) => [folder, others.toSorted()]));

test('the arrows of the picture are the import rules that lint enforces', () => {
  expect(sorted(arrows())).toEqual(sorted(mayImport));
});

test('every folder of the project is on the map', () => {
  const folders = readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^\.|^(node_modules|coverage)$/.test(entry.name))
    .map(({ name }) => name);
  const inDev = readdirSync(join(ROOT, 'dev'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `dev/${name}`);
  const missing = [...folders, ...inDev].filter((folder) => !page.includes(`| \`${folder}/`));
  expect(missing).toEqual([]);
  expect(existsSync(join(ROOT, 'tools/devstack/README.md'))).toBe(true);
});
