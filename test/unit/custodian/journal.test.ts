/** The journal of the sandbox custodian: what was kept is there after a restart, and a line that was cut off is as if it had never been. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { openJournal } from '../../../dev/custodian/state/journal.ts';

const Row = z.object({ amount: z.coerce.bigint() });
let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
  file = join(folder, 'deep', 'journal.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

function rowsOf(name: string): (readonly [string, bigint | undefined])[] {
  const journal = openJournal(file);
  const table = journal.table(name, Row);
  const found = ['a', 'b'].map((key) => [key, table.get(key)?.amount] as const);
  journal.close();
  return found;
}

test('the newest version of each row is read again, from a file that no longer holds the older ones', () => {
  const journal = openJournal(file);
  const table = journal.table('rows', Row);
  for (const amount of [1n, 2n, 10n ** 30n]) {
    table.set('a', { amount });
    journal.commit();
  }
  table.set('b', { amount: 7n });
  journal.commit();
  table.set('b', { amount: 8n });
  journal.close();
  expect(rowsOf('rows')).toEqual([
    ['a', 10n ** 30n],
    ['b', 7n],
  ]);
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(1);
});

test('a change whose line was cut off is not there, whole as it was', () => {
  const journal = openJournal(file);
  const table = journal.table('rows', Row);
  table.set('a', { amount: 1n });
  journal.commit();
  journal.close();
  appendFileSync(file, '[["rows","a",{"amount":"2"}],["rows","b",{"am');
  expect(rowsOf('rows')).toEqual([
    ['a', 1n],
    ['b', undefined],
  ]);
});
