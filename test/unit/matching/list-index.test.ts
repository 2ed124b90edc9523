/** A list in memory proposes every entry that the whole comparison would find. */
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compare, prepareAsked, prepareEntry } from '../../../domain/matching/compare.ts';
import { listIndex } from '../../../domain/matching/list-index.ts';
import type { NameKind } from '../../../domain/matching/words.ts';

const details = { birthDates: [], gender: null, nationalities: [], countries: [], identifiers: [] };
const pairs = readFileSync(join(import.meta.dirname, '../../fixtures/matching/golden.tsv'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split('\t'))
  .map(([kind, , , asked = '', listed = '']) => {
    const as: NameKind = kind === 'company' ? 'company' : 'person';
    const quality = listed.startsWith('~') ? ('weak' as const) : ('primary' as const);
    return { kind: as, asked, names: [{ name: listed.replace(/^~/, ''), quality }] };
  });

const entries = pairs.map(({ kind, names }) => prepareEntry({ kind, names, details }));
const index = listIndex(entries.map((entry, at) => [at, entry] as const));

test('no entry is lost that a comparison with every entry finds', () => {
  // as it is, and with its first word twice; a Korean name is no Korean name then
  const twice = pairs
    .filter(({ kind, asked }) => prepareAsked({ kind, name: asked, details }).name.korean.length === 0)
    .map((pair) => ({ ...pair, asked: `${pair.asked.split(' ')[0] ?? ''} ${pair.asked}` }));
  const asks = [...pairs, ...twice];
  const lost = asks.flatMap(({ kind, asked, names: [own] }) => {
    const prepared = prepareAsked({ kind, name: asked, details });
    const found = new Set(index.find(prepared, 70).map(({ id }) => id));
    return entries.flatMap((entry, at) => {
      if ((entry.kind === 'person') !== (kind === 'person') || found.has(at)) return [];
      return compare(prepared, entry).score >= 70 ? [`${asked} | ${String(own?.name)} | ${at}`] : [];
    });
  });
  expect(lost).toEqual([]);
});

test('the best entry comes first, and an identifier finds one without its name', () => {
  const listed = prepareEntry({
    kind: 'person',
    names: [{ name: 'Dragan Vasiljkovic', quality: 'primary' }],
    details: { ...details, identifiers: [{ type: 'passport', value: 'AB 12345' }] },
  });
  const alike = prepareEntry({
    kind: 'person',
    names: [{ name: 'Dragan Vasiljkovich', quality: 'primary' }],
    details,
  });
  const two = listIndex([
    ['alike', alike],
    ['same', listed],
  ]);
  const asked = prepareAsked({ kind: 'person', name: 'Dragan Vasiljkovic', details });
  expect(two.find(asked, 70).map(({ id }) => id)).toEqual(['same', 'alike']);
  const nameless = prepareAsked({
    kind: 'person',
    name: 'Clara Whitfield',
    details: { ...details, identifiers: [{ type: 'passport', value: 'ab-12345' }] },
  });
  expect(two.find(nameless, 70).map(({ id, comparison }) => [id, comparison.score])).toEqual([['same', 85]]);
});
