/** What is used of limits, and the limits of coins. Only functions of the database write it. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { COIN_OPERATIONS } from '../../domain/crypto/limits.ts';
import type { UserId } from '../../domain/ids.ts';
import { Minor } from './minor.ts';

/** What a subject has ever used in a scope. Amounts are minor units of `unit`, not whole if they are the worth of something else. */
export const LimitCounter = defineEntity({
  name: 'LimitCounter',
  tableName: 'limit_counters',
  properties: {
    id: p.bigint().columnType('bigint').primary().autoincrement(),
    ownerId: p.uuid().$type<UserId>(),
    scope: p.text(),
    unit: p.text(),
    subject: p.text(),
    subjectId: p.uuid(),
    amount: p.decimal('string').columnType('numeric').defaultRaw('0'),
    uses: p.bigint().defaultRaw('0'),
    lastAt: p.datetime(3).defaultRaw(`'-infinity'::timestamp with time zone`),
  },
});
export type LimitCounter = InferEntity<typeof LimitCounter>;

/** One use, with what its counter had been before it. */
export const LimitUse = defineEntity({
  name: 'LimitUse',
  tableName: 'limit_uses',
  properties: {
    counterId: p.bigint().primary(),
    at: p.datetime(3).primary(),
    id: p.bigint().columnType('bigint').primary().autoincrement(),
    sourceId: p.uuid(),
    amount: p.decimal('string').columnType('numeric'),
    amountBefore: p.decimal('string').columnType('numeric'),
    counts: p.smallint().default(1),
    usesBefore: p.bigint(),
  },
});
export type LimitUse = InferEntity<typeof LimitUse>;

/**
 * The most that coins bought, sold or withdrawn may be worth in any 24 hours and in any 30 days, in minor units of the base currency;
 * null is no limit. The row with the highest level that the customer has reached counts.
 */
export const CryptoLimit = defineEntity({
  name: 'CryptoLimit',
  tableName: 'crypto_limits',
  properties: {
    operation: p.enum(COIN_OPERATIONS).primary(),
    kycLevel: p.smallint().primary(),
    day: p.type(Minor).strictNullable(),
    month: p.type(Minor).strictNullable(),
  },
});
export type CryptoLimit = InferEntity<typeof CryptoLimit>;
