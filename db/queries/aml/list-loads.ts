/** Loads of sanctions lists, and the entries that they stage. */
import { LIST_SOURCES, type ListedEntry } from '../../../domain/screening/lists.ts';
import { bigint, integer, oneOf, ownJson, type RowOf } from '../../rows/columns.ts';
import { pageOf } from '../../rows/page.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { ScreeningListLoad } from '../../schema/screening.ts';

const load = columnsOf(
  ScreeningListLoad,
  ...(['id', 'source', 'version', 'status', 'checksum', 'publishedAt', 'counts', 'added'] as const),
  ...(['changed', 'removed', 'error', 'agreedBy', 'loadedAt', 'createdAt'] as const),
);
export type ListLoadRow = RowOf<typeof load>;

/** A page of loads, newest first. */
export const pageOfListLoads = pageOf({
  name: 'pageOfListLoads',
  table: ScreeningListLoad,
  gives: load,
  by: ['source', 'status'],
});

export const listLoadById = statement({
  name: 'listLoadById',
  takes: { id: load.id },
  gives: load,
  sql: `select ${selectList(load, 'l')} from screening_list_loads l where l.id = $id`,
});

/** The versions in force, of each source that has one. */
export const listsInForce = statement({
  name: 'listsInForce',
  gives: { ...load, version: integer() },
  sql: `
    select distinct on (l.source) ${selectList(load, 'l')} from screening_list_loads l
     where l.status = 'loaded' order by l.source, l.version desc`,
});

/** Lets loads of one source follow one another until the transaction ends. */
export const lockList = statement({
  name: 'lockList',
  takes: { source: oneOf(LIST_SOURCES) },
  gives: { locked: bigint() },
  sql: `
    select count(*) as locked
      from (select pg_advisory_xact_lock(hashtextextended('screening ' || $source::text, 7317))) x`,
});

export const addListLoad = statement({
  name: 'addListLoad',
  takes: columnsOf(
    ScreeningListLoad,
    ...(['source', 'version', 'status', 'checksum', 'publishedAt', 'counts', 'error'] as const),
  ),
  gives: { id: load.id },
  sql: `
    insert into screening_list_loads (source, version, status, checksum, published_at, counts, error)
    values ($source, $version, $status, $checksum, $publishedAt, $counts, $error) returning id`,
});

/** One entry as it is staged. */
export interface StagedEntry extends ListedEntry {
  readonly contentHash: string;
  readonly identityHash: string;
}

export const stageEntries = statement({
  name: 'stageEntries',
  takes: { id: load.id, entries: ownJson<readonly StagedEntry[]>() },
  gives: {},
  sql: `
    insert into screening_staged
      (load_id, ref, kind, names, details, programme, reference, content_hash, identity_hash)
    select $id, s.ref, s.kind, s.names, s.details, s.programme, s.reference, s."contentHash", s."identityHash"
      from jsonb_to_recordset($entries::jsonb) s(ref text, kind text, names jsonb, details jsonb, programme text,
        reference text, "contentHash" text, "identityHash" text)`,
});

/** What a load would change, and how many entries there are before it. */
export const listDifference = statement({
  name: 'listDifference',
  takes: { id: load.id },
  gives: { before: integer(), added: integer(), changed: integer(), removed: integer() },
  sql: `select d.before, d.added, d.changed, d.removed from screening_list_difference($id) d`,
});

export const noteDifference = statement({
  name: 'noteDifference',
  takes: { id: load.id, added: load.added, changed: load.changed, removed: load.removed },
  gives: {},
  sql: `update screening_list_loads set added = $added, changed = $changed, removed = $removed where id = $id`,
});

export const takeList = statement({
  name: 'takeList',
  takes: { id: load.id },
  gives: { version: integer() },
  sql: `select screening_list_take($id) as version`,
});

/** Notes who has agreed to a pending load; nothing if it is not pending any more. */
export const agreeToLoad = statement({
  name: 'agreeToLoad',
  takes: { id: load.id, by: load.agreedBy },
  gives: { id: load.id },
  sql: `update screening_list_loads set agreed_by = $by where id = $id and status = 'pending_change' returning id`,
});

/** Completes a load whose file was read to its end. */
export const completeLoad = statement({
  name: 'completeLoad',
  takes: { id: load.id, counts: load.counts, publishedAt: load.publishedAt },
  gives: {},
  sql: `update screening_list_loads set counts = $counts, published_at = $publishedAt where id = $id`,
});
