/** The readers of sanctions lists, one invented file of each format. */
import { describe, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listReaders } from '../../../adapters/lists/readers.ts';
import { ListFault, type ListedEntry, type ListSource } from '../../../domain/screening/lists.ts';

const fixture = (name: string): string => join(import.meta.dirname, '../../fixtures/lists', name);

async function read(source: ListSource, ...paths: string[]) {
  const entries: ListedEntry[] = [];
  let publishedAt: string | null = null;
  for await (const item of listReaders[source](paths)) {
    if ('publishedAt' in item) publishedAt = item.publishedAt;
    else if (item.entry !== null) entries.push(item.entry);
  }
  return { entries, publishedAt };
}

/** The reader fails with this line and reason. */
async function faultOf(source: ListSource, text: string, name = 'list.xml'): Promise<ListFault> {
  const folder = mkdtempSync(join(tmpdir(), 'list-'));
  try {
    writeFileSync(join(folder, name), text);
    await read(source, join(folder, name));
  } catch (error) {
    if (error instanceof ListFault) return error;
    throw error;
  } finally {
    rmSync(folder, { recursive: true });
  }
  throw new Error('nothing is wrong with this file');
}

const FILES: readonly (readonly [ListSource, readonly string[]])[] = [
  ['un', ['un.xml']],
  ['ofac_csv', ['sdn.csv', 'alt.csv', 'add.csv']],
  ['ofac_xml', ['sdn.xml']],
  ['ofac_advanced', ['advanced.xml']],
  ['eu', ['eu.xml']],
  ['uk', ['uk.xml']],
  ['uk', ['uk.csv']],
  ['opensanctions', ['targets.simple.csv']],
  ['opensanctions', ['entities.ftm.jsonl']],
  ['own', ['own.csv']],
];

describe.each(FILES)('a list of %s in %j', (source, files) => {
  test('has the person with names, birth date and nationality, and somebody else', async () => {
    const { entries } = await read(source, ...files.map(fixture));
    expect(entries.length).toBeGreaterThanOrEqual(2);
    const person = entries.find(({ kind }) => kind === 'person');
    const [primary] = person?.names ?? [];
    expect(primary?.quality).toBe('primary');
    expect(primary?.name.toLowerCase().replace(',', '').split(' ').sort()).toEqual(['askeldar', 'tobrin']);
    expect(
      person?.details.birthDates.some(({ from, to }) => from <= '1962-03-15' && to >= '1962-03-15'),
    ).toBe(true);
    expect(
      [...(person?.details.nationalities ?? []), ...(person?.details.countries ?? [])].length,
    ).toBeGreaterThan(0);
  });
});

test('a weak alias, a gender, a passport and a crypto address are told apart', async () => {
  const { entries } = await read('ofac_csv', ...['sdn.csv', 'alt.csv', 'add.csv'].map(fixture));
  const [person, company, vessel] = entries;
  expect(person?.names.map(({ quality }) => quality)).toEqual(['primary', 'alias', 'weak']);
  expect(person?.details).toMatchObject({ gender: 'male', nationalities: ['IR'], countries: ['IR'] });
  expect(person?.details.identifiers).toEqual([
    { type: 'passport', value: 'T0012345' },
    { type: 'crypto_address', value: '1Invented' },
  ]);
  expect([company?.kind, vessel?.kind]).toEqual(['company', 'vessel']);
});

test('the publication is that of the file', async () => {
  expect((await read('un', fixture('un.xml'))).publishedAt).toBe('2026-02-27T10:00:00.000Z');
  expect((await read('ofac_xml', fixture('sdn.xml'))).publishedAt).toBe('2026-02-27');
});

test('several kinds of birth dates are spans of days', async () => {
  const { entries } = await read('eu', fixture('eu.xml'));
  expect(entries[0]?.details.birthDates).toEqual([
    { from: '1962-03-15', to: '1962-03-15' },
    { from: '1960-01-01', to: '1961-12-31' },
    { from: '1964-01-01', to: '1966-12-31' },
  ]);
});

test('a truncated file, a broken tag, a document type and an empty file are refused with their line', async () => {
  const whole = readFileSync(fixture('un.xml'), 'utf8');
  const cut = await faultOf('un', whole.slice(0, whole.indexOf('</INDIVIDUALS>')));
  expect(cut.message).toBe('the file ends too early');
  expect(cut.line).toBeGreaterThan(10);
  expect((await faultOf('un', whole.replace('</FIRST_NAME>', '</FIRST>'))).line).toBe(5);
  const entity = '<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY b "c">]>\n<a>&b;</a>';
  expect((await faultOf('un', entity)).message).toBe('a document type is not allowed');
  expect((await faultOf('un', '')).line).toBe(1);
});

test('a broken row of a CSV file is refused with its line', async () => {
  const head = 'ref,kind,name\n';
  expect(await faultOf('own', `${head}A,person,Tobrin\nB,robot,Askel\n`, 'own.csv')).toMatchObject({
    line: 3,
  });
  expect(await faultOf('own', `${head}A,person,"Tobrin\n`, 'own.csv')).toBeInstanceOf(ListFault);
  expect((await faultOf('own', 'ref,name\nA,Tobrin\n', 'own.csv')).message).toBe('has no column kind');
});
