/** Brings a file of a sanctions list into force: whole or not at all, and not by one person alone if much of the list is missing. */
import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { checksumOf, listReaders } from '../../adapters/lists/readers.ts';
import {
  addListLoad,
  listDifference,
  listLoadById,
  listsInForce,
  lockList,
  noteDifference,
  stageEntries,
  takeList,
  type ListLoadRow,
  type StagedEntry,
} from '../../db/queries/aml/list-loads.ts';
import { completeLoad } from '../../db/queries/aml/list-loads.ts';
import { transaction } from '../../db/transaction.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import type { ScreeningLoadId } from '../../domain/ids.ts';
import {
  ListFault,
  type ListCounts,
  type ListedEntry,
  type ListSource,
} from '../../domain/screening/lists.ts';

/** Entries that are written in one statement. */
const AT_ONCE = 500;
/** A file that has lost more than this part of the entries waits for a second person. */
const DROP = 0.1;

const NOTHING: ListCounts = { person: 0, company: 0, vessel: 0, aircraft: 0, names: 0 };

interface Loading {
  readonly source: ListSource;
  readonly paths: readonly string[];
  readonly checksum: string;
}

/** Loads the files of a source, and answers the row of the load. Opens transactions of its own. */
export async function loadList(
  em: () => EntityManager,
  source: ListSource,
  paths: readonly string[],
): Promise<ListLoadRow> {
  const loading = { source, paths, checksum: await checksumOf(paths) };
  try {
    const id = await transaction(em(), (db) => load(db, loading));
    return await listLoadById.one(em(), { id });
  } catch (error) {
    if (!(error instanceof ListFault)) throw error;
    const refused = { line: error.line, reason: error.message };
    const id = await noted(em(), loading, 'refused', null, NOTHING, refused, null);
    return listLoadById.one(em(), { id });
  }
}

async function load(db: EntityManager, loading: Loading): Promise<ScreeningLoadId> {
  await lockList.one(db, { source: loading.source });
  const inForce = (await listsInForce.all(db)).find(({ source }) => source === loading.source);
  if (inForce?.checksum === loading.checksum)
    return noted(db, loading, 'unchanged', inForce.version, inForce.counts, null, inForce.publishedAt);
  const id = await noted(db, loading, 'pending_change', null, NOTHING, null, null);
  const { counts, publishedAt } = await stage(db, id, loading);
  const difference = await listDifference.one(db, { id });
  await noteDifference.run(db, { id, ...difference });
  await completeLoad.run(db, { id, counts, publishedAt });
  // what is gone counts, however much came instead: another list under this name would replace everybody
  if (difference.removed <= difference.before * DROP) await takeList.one(db, { id });
  return id;
}

async function noted(
  db: EntityManager,
  { source, checksum }: Loading,
  status: ListLoadRow['status'],
  version: number | null,
  counts: ListCounts,
  error: ListLoadRow['error'],
  publishedAt: Date | null,
): Promise<ScreeningLoadId> {
  const row = { source, checksum, status, version, counts, error, publishedAt };
  return (await addListLoad.one(db, row)).id;
}

async function stage(db: EntityManager, id: ScreeningLoadId, { source, paths }: Loading) {
  const counts = { ...NOTHING };
  let publishedAt: Date | null = null;
  let batch: StagedEntry[] = [];
  const seen = new Set<string>();
  const write = async (): Promise<void> => {
    if (batch.length > 0) await stageEntries.run(db, { id, entries: batch });
    batch = [];
  };
  for await (const item of listReaders[source](paths)) {
    if ('publishedAt' in item) publishedAt = momentIn(item.publishedAt);
    else if (item.entry !== null) {
      if (seen.has(item.entry.ref)) throw new ListFault(0, `the entry ${item.entry.ref} is there twice`);
      seen.add(item.entry.ref);
      counts[item.entry.kind] += 1;
      counts.names += item.entry.names.length;
      batch.push(staged(item.entry));
      if (batch.length === AT_ONCE) await write();
    }
  }
  await write();
  if (seen.size === 0) throw new ListFault(0, 'the file holds no entry');
  return { counts, publishedAt };
}

function momentIn(text: string | null): Date | null {
  const moment = new Date(text ?? '');
  return Number.isNaN(moment.getTime()) ? null : moment;
}

function staged(entry: ListedEntry): StagedEntry {
  const { kind, names, details } = entry;
  const plain = names.map(({ name }) => name.toLowerCase()).sort();
  return {
    ...entry,
    contentHash: hashOf(entry),
    identityHash: hashOf({ kind, names: plain, birthDates: details.birthDates }),
  };
}

function hashOf(value: object): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
