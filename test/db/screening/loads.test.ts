/** Loads of sanctions lists: each file takes effect whole or not at all. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { searchLists } from '../../../services/aml/search.ts';
import { loadList } from '../../../services/aml/load-list.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { ownBank } from '../../support/stack/database.ts';

const HEAD = 'ref,kind,name,birth_date\n';
const details = { birthDates: [], gender: null, nationalities: [], countries: [], identifiers: [] };
let books: Books;
let folder: string;
let files = 0;

beforeAll(async () => {
  books = openBooks(await ownBank());
  folder = mkdtempSync(join(tmpdir(), 'lists-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await books.close();
});
beforeEach(async () => {
  for (const table of ['screening_staged', 'screening_entries', 'screening_list_loads'])
    await books.asOwner(`delete from ${table}`);
});

const em = () => books.em();
const rows = (from: number, to: number): string =>
  Array.from(
    { length: to - from },
    (_, at) => `R${at + from},person,Askel Dar${'abcdefghijklmnopqrstuvwxyz'[at + from] ?? ''}vik,1970\n`,
  ).join('');

async function load(text: string) {
  const path = join(folder, `${++files}.csv`);
  writeFileSync(path, text);
  return loadList(em, 'own', [path]);
}

const inForce = async () =>
  (
    await books.asOwner(
      'select ref, former_refs, since_version from screening_entries where removed_version is null order by ref',
    )
  ).map(({ ref, former_refs, since_version }) => [ref, former_refs, since_version]);

test('a file becomes a version with counts, and the same file again is none', async () => {
  expect(await load(HEAD + rows(0, 3))).toMatchObject({
    ...{ status: 'loaded', version: 1, added: 3, changed: 0, removed: 0 },
    counts: { person: 3, company: 0, vessel: 0, aircraft: 0, names: 3 },
  });
  expect(await load(HEAD + rows(0, 3))).toMatchObject({ status: 'unchanged', version: 1 });
  expect(await inForce()).toHaveLength(3);
});

test('a newer file adds, changes and removes, and leaves the rest as it was', async () => {
  await load(HEAD + rows(0, 20));
  const changed = rows(1, 21).replace('R5,person,Askel Darfvik', 'R5,person,Askel Other');
  expect(await load(HEAD + changed)).toMatchObject({ version: 2, added: 1, changed: 1, removed: 1 });
  const now = new Map((await inForce()).map(([ref, , since]) => [ref, since]));
  expect([now.get('R5'), now.get('R20'), now.get('R6'), now.has('R0')]).toEqual([2, 2, 1, false]);
});

test('an entry that the list gives another id stays the same entry and keeps its former ids', async () => {
  await load(HEAD + rows(0, 20));
  expect(await load(HEAD + rows(0, 20).replace('R7,', 'NEW-7,'))).toMatchObject({
    added: 0,
    changed: 1,
    removed: 0,
  });
  expect((await inForce()).filter(([ref]) => ref === 'NEW-7' || ref === 'R7')).toEqual([
    ['NEW-7', ['R7'], 2],
  ]);
});

test('a broken file changes nothing and says where it is broken', async () => {
  await load(HEAD + rows(0, 5));
  expect(await load(`${HEAD + rows(0, 5)}R9,robot,Nobody,\n`)).toMatchObject({
    ...{ status: 'refused', version: null },
    error: { line: 7, reason: 'has a kind that is none of person, company, vessel, aircraft' },
  });
  expect(await load(HEAD)).toMatchObject({ status: 'refused' });
  expect(await load(`${HEAD + rows(0, 2)}${rows(0, 1)}`)).toMatchObject({ status: 'refused' });
  expect(await inForce()).toHaveLength(5);
});

test('a file that has lost more than a tenth waits, and one that has lost a tenth does not', async () => {
  await load(HEAD + rows(0, 20));
  expect(await load(HEAD + rows(0, 17))).toMatchObject({
    status: 'pending_change',
    version: null,
    removed: 3,
  });
  expect(await inForce()).toHaveLength(20);
  expect(await load(HEAD + rows(0, 18))).toMatchObject({ status: 'loaded', version: 2, removed: 2 });
});

test('a file that replaces most entries by as many others waits too', async () => {
  await load(HEAD + rows(0, 20));
  const others = rows(0, 17) + rows(20, 23);
  expect(await load(HEAD + others)).toMatchObject({ status: 'pending_change', added: 3, removed: 3 });
  expect(await inForce()).toHaveLength(20);
});

test('two loads of one source at once are two versions, one after the other', async () => {
  const loads = await Promise.all([load(HEAD + rows(0, 19)), load(HEAD + rows(0, 20))]);
  expect(loads.map(({ version }) => version).sort()).toEqual([1, 2]);
});

test('a search finds whoever is on the version in force, and nobody who was removed', async () => {
  const find = async (name: string) =>
    (await searchLists(em(), { kind: 'person', name, details }, 70, ['own'])).map(({ entry, version }) => [
      entry.ref,
      version,
    ]);
  await load(`${HEAD + rows(0, 20)}T,person,Tobrin Askeldar,1962-03-15\n`);
  expect(await find('Askeldar Tobryn')).toEqual([['T', 1]]);
  await load(HEAD + rows(0, 20));
  expect(await find('Askeldar Tobryn')).toEqual([]);
});
