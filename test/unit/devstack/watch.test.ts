/** Watching files: what counts as a save, and how saves are gathered. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { collect, isTemporary, watchFiles } from '../../../tools/devstack/watch.ts';
import { until } from '../../support/until.ts';

let root: string;
let told: string[];
let watcher: { close(): void };

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'teller-unit-'));
  mkdirSync(join(root, 'src/inner'), { recursive: true });
  for (const file of ['src/a.ts', 'src/inner/b.ts', 'one.ts', 'other.ts'])
    writeFileSync(join(root, file), '1');
  told = [];
  watcher = watchFiles({
    ...{ root, paths: ['src', 'one.ts'], settleMs: 10 },
    onSaved: (paths) => told.push(...paths),
    onError: (error) => told.push(String(error)),
  });
});

afterEach(() => {
  watcher.close();
  rmSync(root, { recursive: true, force: true });
});

test('saves in quick succession are handed over once, each path once, after a pause', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const handed: (readonly string[])[] = [];
  const saved = collect<string>((paths) => handed.push(paths), 100);
  for (const path of ['a.ts', 'b.ts', 'a.ts']) {
    saved.add(path);
    mock.timers.tick(99);
  }
  expect(handed).toEqual([]);
  mock.timers.tick(1);
  saved.add('c.ts');
  mock.timers.tick(100);
  expect(handed).toEqual([['a.ts', 'b.ts'], ['c.ts']]);
  mock.timers.reset();
});

test('a file deep inside a watched folder is told', async () => {
  write('src/inner/b.ts');
  await untilTold('src/inner/b.ts');
});

test('a file that an editor replaces is told each time', async () => {
  for (const round of [1, 2, 3]) {
    told.length = 0;
    writeFileSync(join(root, 'src/.a.ts.new'), String(round));
    renameSync(join(root, 'src/.a.ts.new'), join(root, 'src/a.ts'));
    await untilTold('src/a.ts');
  }
  expect(new Set(told)).toEqual(new Set(['src/a.ts']));
});

test('a single file is told, its neighbours are not', async () => {
  write('other.ts');
  write('one.ts');
  await untilTold('one.ts');
  expect(new Set(told)).toEqual(new Set(['one.ts']));
});

test('a file in a folder that was made later is told', async () => {
  mkdirSync(join(root, 'src/later'));
  await untilTold('src/later');
  write('src/later/c.ts');
  await untilTold('src/later/c.ts');
});

test('what editors leave beside a file is no save', () => {
  const temporary = ['.a.ts.swp', 'a.ts~', '#a.ts#', '4913', 'sedAb12Cd', 'a.ts___jb_tmp___'];
  expect(temporary.filter((name) => !isTemporary(name))).toEqual([]);
  expect(['a.ts', 'sedate.ts', '0001-foundation.ts', 'page.html'].filter(isTemporary)).toEqual([]);
});

function write(path: string): void {
  writeFileSync(join(root, path), String(Math.random()));
}

async function untilTold(path: string): Promise<void> {
  await until(
    () => told.includes(path),
    () => told,
  );
}
