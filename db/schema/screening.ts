/** Sanctions lists, their loads and their entries. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { ScreeningEntryId, ScreeningLoadId, UserId } from '../../domain/ids.ts';
import {
  ENTRY_KINDS,
  LIST_SOURCES,
  LOAD_STATUSES,
  type ListCounts,
  type ListedEntry,
} from '../../domain/screening/lists.ts';

/** A file that was read, whether or not it took effect. */
export const ScreeningListLoad = defineEntity({
  name: 'ScreeningListLoad',
  tableName: 'screening_list_loads',
  properties: {
    id: p.uuid().$type<ScreeningLoadId>().primary().defaultRaw('uuidv7()'),
    source: p.enum(LIST_SOURCES),
    version: p.integer().strictNullable(),
    status: p.enum(LOAD_STATUSES),
    checksum: p.text(),
    publishedAt: p.datetime(3).strictNullable(),
    counts: p.json().$type<ListCounts>(),
    added: p.integer().default(0),
    changed: p.integer().default(0),
    removed: p.integer().default(0),
    error: p.json().$type<{ readonly line: number; readonly reason: string }>().strictNullable(),
    agreedBy: p.uuid().$type<UserId>().strictNullable(),
    loadedAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type ScreeningListLoad = InferEntity<typeof ScreeningListLoad>;

const said = () => ({
  kind: p.enum(ENTRY_KINDS),
  names: p.json().$type<ListedEntry['names']>(),
  details: p.json().$type<ListedEntry['details']>(),
  programme: p.text().strictNullable(),
  reference: p.text().strictNullable(),
  contentHash: p.text(),
  identityHash: p.text(),
});

/** Who stands, or stood, on a list. */
export const ScreeningEntry = defineEntity({
  name: 'ScreeningEntry',
  tableName: 'screening_entries',
  properties: {
    id: p.uuid().$type<ScreeningEntryId>().primary().defaultRaw('uuidv7()'),
    source: p.enum(LIST_SOURCES).columnType('text'),
    ref: p.text(),
    formerRefs: p.array().columnType('text[]').$type<readonly string[]>().defaultRaw(`'{}'`),
    ...said(),
    sinceVersion: p.integer(),
    removedVersion: p.integer().strictNullable(),
  },
});
export type ScreeningEntry = InferEntity<typeof ScreeningEntry>;

/** An entry of a file that is not in force yet. */
export const ScreeningStaged = defineEntity({
  name: 'ScreeningStaged',
  tableName: 'screening_staged',
  properties: {
    loadId: p.uuid().$type<ScreeningLoadId>().primary(),
    ref: p.text().primary(),
    ...said(),
  },
});
export type ScreeningStaged = InferEntity<typeof ScreeningStaged>;
