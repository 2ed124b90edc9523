/** The lists in force, in memory: read when somebody screens, and again once a newer version is in force. */
import { setImmediate as breathe } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import { entriesInForce, type ListEntryRow } from '../../db/queries/aml/entries.ts';
import { listsInForce } from '../../db/queries/aml/list-loads.ts';
import { prepareEntry } from '../../domain/matching/compare.ts';
import { createListIndex, type ListIndex } from '../../domain/matching/list-index.ts';
import { ScreeningEntryId, type ScreeningLoadId } from '../../domain/ids.ts';
import type { ListSource } from '../../domain/screening/lists.ts';

/** An entry as a match names it. */
export type EntryInMemory = Pick<ListEntryRow, 'id' | 'ref' | 'programme' | 'reference'>;

/** One list in the version in force. */
export interface ListInMemory {
  readonly source: ListSource;
  readonly version: number;
  readonly index: ListIndex<EntryInMemory>;
}

const FIRST = ScreeningEntryId.parse('00000000-0000-0000-0000-000000000000');
const PAGE = 500;
/** Other requests get their turn after so many entries. */
const BREATH = 50;

/** By the load that brought them, so that a version is read once a process. */
const kept = new Map<ScreeningLoadId, Promise<ListInMemory>>();

/** The lists in force. The first call after a new version reads it, in steps that let other work go on. */
export async function listsInMemory(
  db: EntityManager,
  sources?: readonly ListSource[],
): Promise<readonly ListInMemory[]> {
  const inForce = await listsInForce.all(db);
  const newest = new Set(inForce.map(({ id }) => id));
  const wanted = inForce.filter(({ source }) => sources === undefined || sources.includes(source));
  const lists: ListInMemory[] = [];
  for (const { id, source, version } of wanted) {
    const before = kept.get(id) ?? read(db, source, version);
    kept.set(id, before);
    try {
      lists.push(await before);
    } catch (error) {
      kept.delete(id);
      throw error;
    }
  }
  for (const id of kept.keys()) if (!newest.has(id)) kept.delete(id);
  return lists;
}

async function read(db: EntityManager, source: ListSource, version: number): Promise<ListInMemory> {
  const index = createListIndex<EntryInMemory>();
  let after: ScreeningEntryId = FIRST;
  for (;;) {
    const page = await entriesInForce.all(db, { source, after, most: PAGE });
    for (const [at, { id, ref, programme, reference, ...entry }] of page.entries()) {
      index.add({ id, ref, programme, reference }, prepareEntry(entry));
      if (at % BREATH === 0) await breathe();
    }
    const last = page.at(-1);
    if (last === undefined) return { source, version, index };
    after = last.id;
  }
}
