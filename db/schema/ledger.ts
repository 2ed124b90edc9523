/** The books. Only functions of the database write them. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { AccountId, UserId } from '../../domain/ids.ts';
import { Minor } from './minor.ts';

/** A booked transaction. Its entries sum to zero for each asset. */
export const LedgerTransaction = defineEntity({
  name: 'LedgerTransaction',
  tableName: 'ledger_transactions',
  properties: {
    id: p.uuid().primary(),
    kind: p.text(),
    sourceType: p.text(),
    sourceId: p.uuid(),
    bookedAt: p.datetime(3),
    valueDate: p.date(),
    description: p.text().default(''),
    metadata: p.json().$type<Readonly<Record<string, unknown>>>().defaultRaw(`'{}'::jsonb`),
    reverses: p.uuid().strictNullable(),
    position: p.bigint().columnType('bigint').autoincrement(),
  },
});
export type LedgerTransaction = InferEntity<typeof LedgerTransaction>;

/** One line of a transaction: a signed amount in minor units; debits are negative. */
export const LedgerEntry = defineEntity({
  name: 'LedgerEntry',
  tableName: 'ledger_entries',
  properties: {
    accountId: p.uuid().$type<AccountId>().primary(),
    seq: p.bigint().primary(),
    transactionId: p.uuid(),
    asset: p.text(),
    amount: p.type(Minor),
    balanceAfter: p.type(Minor),
    bookedAt: p.datetime(3),
    valueDate: p.date(),
    part: p.enum(['principal', 'fee', 'fx', 'spread']).default('principal'),
  },
});
export type LedgerEntry = InferEntity<typeof LedgerEntry>;

/** Money set aside, in minor units, until it is captured or released. */
export const Hold = defineEntity({
  name: 'Hold',
  tableName: 'holds',
  properties: {
    id: p.uuid().primary().defaultRaw('uuidv7()'),
    accountId: p.uuid().$type<AccountId>(),
    amount: p.type(Minor),
    status: p.enum(['open', 'captured', 'released']).default('open'),
    sourceType: p.text(),
    sourceId: p.uuid(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    resolvedAt: p.datetime(3).strictNullable(),
  },
});
export type Hold = InferEntity<typeof Hold>;

/** The searchable words of a customer’s entry. Only triggers write it. */
export const EntryWords = defineEntity({
  name: 'EntryWords',
  tableName: 'entry_words',
  properties: {
    ownerId: p.uuid().$type<UserId>().primary(),
    bookedAt: p.datetime(3).primary(),
    accountId: p.uuid().$type<AccountId>().primary(),
    seq: p.bigint().primary(),
    words: p.array().columnType('text[]').$type<string[]>(),
  },
});
export type EntryWords = InferEntity<typeof EntryWords>;

/** A word that occurs in a customer’s entries, for searches with spelling mistakes. It may be there twice. */
export const SearchWord = defineEntity({
  name: 'SearchWord',
  tableName: 'search_words',
  properties: {
    ownerId: p.uuid().$type<UserId>().primary(),
    word: p.text().primary(),
  },
});
export type SearchWord = InferEntity<typeof SearchWord>;
