/** Sanctions lists, their loads and their entries. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { AmlFlagId, ScreeningEntryId, ScreeningLoadId, UserId } from '../../domain/ids.ts';
import { PARTY_TYPES, type PartyAsked } from '../../domain/screening/parties.ts';
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
    epoch: p.bigint().strictNullable(),
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

/** How often lists have taken effect, up to where everybody was compared with what they changed, and since when a full pass compares everybody. One row. */
export const ScreeningState = defineEntity({
  name: 'ScreeningState',
  tableName: 'screening_state',
  properties: {
    singleton: p.boolean().primary().default(true),
    epoch: p.bigint().default('0'),
    sweptEpoch: p.bigint().default('0'),
    busyUntil: p.datetime(3).strictNullable(),
    fullFrom: p.datetime(3).strictNullable(),
  },
});
export type ScreeningState = InferEntity<typeof ScreeningState>;

const party = () => ({
  partyType: p.enum(PARTY_TYPES),
  partyId: p.uuid(),
  customerId: p.uuid().$type<UserId>(),
});

/** Somebody who is screened; without an epoch they wait for it. */
export const ScreeningParty = defineEntity({
  name: 'ScreeningParty',
  tableName: 'screening_parties',
  properties: {
    ...party(),
    partyType: p.enum(PARTY_TYPES).primary(),
    partyId: p.uuid().primary(),
    epoch: p.bigint().strictNullable(),
    screenedAt: p.datetime(3).strictNullable(),
  },
});
export type ScreeningParty = InferEntity<typeof ScreeningParty>;

const pair = () => ({
  ...party(),
  source: p.enum(LIST_SOURCES).columnType('text'),
  refs: p.array().columnType('text[]').$type<readonly string[]>(),
  asked: p.json().$type<PartyAsked>(),
  entry: p.json().$type<Pick<ListedEntry, 'kind' | 'names' | 'details'>>(),
});

/** Somebody who could be an entry of a list, both as they were when it was found. */
export const ScreeningHit = defineEntity({
  name: 'ScreeningHit',
  tableName: 'screening_hits',
  properties: {
    id: p.uuid().primary().defaultRaw('uuidv7()'),
    at: p.datetime(3).defaultRaw('bank_now()'),
    flagId: p.uuid().$type<AmlFlagId>(),
    ...pair(),
    entryId: p.uuid().$type<ScreeningEntryId>(),
    listVersion: p.integer(),
    score: p.integer(),
    changed: p.array().columnType('text[]').$type<readonly string[]>().defaultRaw(`'{}'`),
    explanation: p.json().$type<Record<string, unknown>>(),
  },
});
export type ScreeningHit = InferEntity<typeof ScreeningHit>;

/** A pair of which somebody has decided that they are two. */
export const ScreeningClearance = defineEntity({
  name: 'ScreeningClearance',
  tableName: 'screening_clearances',
  properties: {
    flagId: p.uuid().$type<AmlFlagId>().primary(),
    ...pair(),
    clearedBy: p.uuid().$type<UserId>(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type ScreeningClearance = InferEntity<typeof ScreeningClearance>;
