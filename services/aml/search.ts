/** Who on the lists in force could be somebody. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { prepareAsked, type Asked, type Comparison } from '../../domain/matching/compare.ts';
import type { ListSource } from '../../domain/screening/lists.ts';
import { refreshedLists, type EntryInMemory } from './lists-in-memory.ts';

/** An entry that could be whoever was asked about. */
export interface ListMatch {
  readonly source: ListSource;
  readonly version: number;
  readonly entry: EntryInMemory;
  readonly comparison: Comparison;
}

/** The entries with at least this score, the best first. */
export async function searchLists(
  db: EntityManager,
  asked: Asked,
  least: number,
  sources?: readonly ListSource[],
): Promise<readonly ListMatch[]> {
  const prepared = prepareAsked(asked);
  const { lists } = await refreshedLists(db);
  const wanted = lists.filter(({ source }) => sources === undefined || sources.includes(source));
  const matches = wanted.flatMap(({ source, version, index }) =>
    index.find(prepared, least).map(({ id, comparison }) => ({ source, version, entry: id, comparison })),
  );
  return matches.sort(
    (a, b) => b.comparison.score - a.comparison.score || b.comparison.rank - a.comparison.rank,
  );
}
