/** The lists in force, in memory: read when somebody screens, and again once a newer version is in force. */
import { setImmediate as breathe } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import { entriesInForce, type ListEntryRow } from '../../db/queries/aml/entries.ts';
import { listsInForce, type ListLoadRow } from '../../db/queries/aml/list-loads.ts';
import { screeningState } from '../../db/queries/aml/parties.ts';
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
  /** When its publisher dated it, or else when it was loaded. */
  readonly datedAt: Date;
  readonly index: ListIndex<EntryInMemory>;
}

/** All lists in force. */
export interface ListsInMemory {
  /** How often lists have taken effect. What is found here is refused by whoever knows of a later change. */
  readonly epoch: bigint;
  readonly lists: readonly ListInMemory[];
}

const FIRST = ScreeningEntryId.parse('00000000-0000-0000-0000-000000000000');
const PAGE = 500;
/** Other requests get their turn after so many entries. */
const BREATH = 50;

/** By the load that brought them, so that a version is read once a process. */
const kept = new Map<ScreeningLoadId, Promise<ListInMemory>>();

/** The last ones of each database; a process has one, and tests have several. */
const last = new WeakMap<object, Promise<ListsInMemory>>();

/**
 * The lists as this process last read them, without asking the database whether they are in force still. What relies on them names their
 * epoch, and is refused where that is over; the caller then refreshes.
 */
export function listsAtHand(db: EntityManager): Promise<ListsInMemory> {
  return last.get(db.config) ?? refreshedLists(db);
}

/** The lists in force now. The first call after a new version reads it, in steps that let other work go on. */
export function refreshedLists(db: EntityManager): Promise<ListsInMemory> {
  const reading = readAll(db);
  last.set(db.config, reading);
  // what could not be read is tried again by the next one
  reading.catch(() => {
    if (last.get(db.config) === reading) last.delete(db.config);
  });
  return reading;
}

async function readAll(db: EntityManager): Promise<ListsInMemory> {
  // first: entries may be newer than the epoch says, and never older
  const { epoch } = await screeningState.one(db);
  const inForce = await listsInForce.all(db);
  const newest = new Set(inForce.map(({ id }) => id));
  const lists: ListInMemory[] = [];
  for (const load of inForce) {
    const before = kept.get(load.id) ?? read(db, load);
    kept.set(load.id, before);
    try {
      lists.push(await before);
    } catch (error) {
      kept.delete(load.id);
      throw error;
    }
  }
  for (const id of kept.keys()) if (!newest.has(id)) kept.delete(id);
  return { epoch, lists };
}

async function read(
  db: EntityManager,
  load: Pick<ListLoadRow, 'source' | 'publishedAt' | 'createdAt'> & { readonly version: number },
): Promise<ListInMemory> {
  const { source, version } = load;
  const index = createListIndex<EntryInMemory>();
  let after: ScreeningEntryId = FIRST;
  for (;;) {
    const page = await entriesInForce.all(db, { source, after, most: PAGE });
    for (const [at, { id, ref, programme, reference, ...entry }] of page.entries()) {
      index.add({ id, ref, programme, reference }, prepareEntry(entry));
      if (at % BREATH === 0) await breathe();
    }
    const end = page.at(-1);
    if (end === undefined) return { source, version, index, datedAt: load.publishedAt ?? load.createdAt };
    after = end.id;
  }
}
