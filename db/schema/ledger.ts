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

/**
 * Money set aside for a source. `captured` of `amount` is booked, the rest is held while the hold is open. One that was released or
 * has expired may be opened again; captured is final.
 */
export const Hold = defineEntity({
  name: 'Hold',
  tableName: 'holds',
  properties: {
    id: p.uuid().primary().defaultRaw('uuidv7()'),
    accountId: p.uuid().$type<AccountId>(),
    amount: p.type(Minor),
    status: p.enum(['open', 'captured', 'released', 'expired']).default('open'),
    sourceType: p.text(),
    sourceId: p.uuid(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    resolvedAt: p.datetime(3).strictNullable(),
    captured: p.type(Minor).defaultRaw('0'),
    expiresAt: p.datetime(3).strictNullable(),
  },
});
export type Hold = InferEntity<typeof Hold>;

/** A hold that the books refuse to end though its time is over. `failure` is what PostgreSQL said. Only functions write it. */
export const RefusedExpiry = defineEntity({
  name: 'RefusedExpiry',
  tableName: 'refused_expiries',
  properties: {
    holdId: p.uuid().primary(),
    failure: p.text(),
    attempts: p.integer().default(1),
    firstAt: p.datetime(3).defaultRaw('bank_now()'),
    lastAt: p.datetime(3).defaultRaw('bank_now()'),
    dueAt: p.datetime(3),
  },
});
export type RefusedExpiry = InferEntity<typeof RefusedExpiry>;

/** What a source may do beyond others, by the kind of its ledger transaction, or `hold`. */
export const SourceRight = defineEntity({
  name: 'SourceRight',
  tableName: 'source_rights',
  properties: {
    sourceType: p.text().primary(),
    kind: p.text().primary(),
    permits: p.enum(['must_book', 'exceed_hold']).primary(),
  },
});
export type SourceRight = InferEntity<typeof SourceRight>;

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
