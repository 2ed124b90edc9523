/** A list in memory: which of its entries could be somebody. The whole comparison is for names that share words only. */
import { compare, type Comparison, type PreparedAsked, type PreparedEntry } from './compare.ts';
import { plainIdentifier } from './evidence.ts';
import { knownWords } from './known-words.ts';
import type { Name } from './names.ts';

export interface Found<Id> {
  readonly id: Id;
  readonly comparison: Comparison;
}

export interface ListIndex<Id> {
  /** How many entries it holds. */
  size(): number;
  add(id: Id, entry: PreparedEntry): void;
  /** Entries with at least this score, the best first; equal scores by what else agrees. */
  find(asked: PreparedAsked, least: number): readonly Found<Id>[];
}

/** The index of one version of a list, empty at first. */
export function createListIndex<Id>(): ListIndex<Id> {
  const entries: (readonly [Id, PreparedEntry])[] = [];
  const places: { readonly at: number; readonly number: number }[] = [];
  const words = { person: knownWords('person'), company: knownWords('company') };
  const eastern = new Map<string, number[]>();
  const identifiers = new Map<string, number[]>();
  return {
    size: () => entries.length,
    add(id, entry) {
      const at = entries.push([id, entry]) - 1;
      for (const [number, { name }] of entry.names.entries()) {
        const place = places.push({ at, number }) - 1;
        words[name.kind].add(place, name);
        for (const key of easternKeys(name)) push(eastern, key, place);
      }
      for (const key of identifierKeys(entry)) push(identifiers, key, at);
    },
    find(asked, least) {
      const chosen = new Map<number, Set<number>>();
      const choose = (place: number): void => {
        const { at, number } = places[place] ?? { at: -1, number: -1 };
        const numbers = chosen.get(at);
        if (numbers === undefined) chosen.set(at, new Set([number]));
        else numbers.add(number);
      };
      for (const place of words[asked.name.kind].candidates(asked.name)) choose(place);
      for (const key of easternKeys(asked.name)) for (const place of eastern.get(key) ?? []) choose(place);
      for (const key of identifierKeys(asked))
        for (const at of identifiers.get(key) ?? []) chosen.set(at, ALL);
      return ranked(asked, least, entries, chosen);
    },
  };
}

/** Builds the index of entries that are at hand. */
export function listIndex<Id>(entries: readonly (readonly [Id, PreparedEntry])[]): ListIndex<Id> {
  const index = createListIndex<Id>();
  for (const [id, entry] of entries) index.add(id, entry);
  return index;
}

function push(map: Map<string, number[]>, key: string, value: number): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

/** Stands for every name of an entry. */
const ALL = new Set<number>();

function ranked<Id>(
  asked: PreparedAsked,
  least: number,
  entries: readonly (readonly [Id, PreparedEntry])[],
  chosen: ReadonlyMap<number, ReadonlySet<number>>,
): readonly Found<Id>[] {
  const found: Found<Id>[] = [];
  for (const [at, numbers] of chosen) {
    const pair = entries[at];
    if (pair === undefined) continue;
    const [id, entry] = pair;
    const names = numbers === ALL ? entry.names : entry.names.filter((_, number) => numbers.has(number));
    const comparison = compare(asked, { ...entry, names });
    if (comparison.score >= least) found.push({ id, comparison });
  }
  return found.sort(
    (a, b) => b.comparison.score - a.comparison.score || b.comparison.rank - a.comparison.rank,
  );
}

function identifierKeys({ details }: Pick<PreparedEntry, 'details'>): readonly string[] {
  return details.identifiers.map(plainIdentifier).filter((key) => key.length > 3);
}

/** Chinese and Korean names are found by family and by what the ways to write the given name have in common. */
function easternKeys(name: Name): readonly string[] {
  const all = (kind: string, readings: Name['chinese']): readonly string[] =>
    readings.flatMap(({ families, rough }) => families.map((family) => `${kind}${family} ${rough}`));
  return [
    ...(name.han === null ? [] : [`h${name.han}`]),
    ...all('c', name.chinese),
    ...all('k', name.korean),
  ];
}
