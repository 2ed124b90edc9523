/** Buying and selling coins. Only functions of the database write these tables. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { ORDER_FAILURES, ORDER_SIDES, ORDER_STATUSES } from '../../domain/crypto/orders.ts';
import type { AccountId, CryptoOrderId, CryptoQuoteId, UsedPriceId, UserId } from '../../domain/ids.ts';
import type { StoredPrice } from '../../domain/pricing/pricing.ts';
import { Minor } from './minor.ts';

/**
 * A binding offer that one order can use. `gross` is spent on coins, or got for them before the `fee`, both in minor units of
 * `currency`; `worth` is the same in the base currency, not rounded. `coins` are minor units of `asset`, and `midPrice` is units of
 * `currency` for one whole coin.
 */
export const CryptoQuote = defineEntity({
  name: 'CryptoQuote',
  tableName: 'crypto_quotes',
  properties: {
    id: p.uuid().$type<CryptoQuoteId>().primary(),
    userId: p.uuid().$type<UserId>(),
    side: p.enum(ORDER_SIDES),
    accountId: p.uuid().$type<AccountId>(),
    currency: p.text(),
    asset: p.text(),
    gross: p.type(Minor),
    fee: p.type(Minor),
    coins: p.type(Minor),
    price: p.json().$type<StoredPrice>(),
    priceId: p.uuid().$type<UsedPriceId>(),
    midPrice: p.decimal('string').columnType('numeric'),
    worth: p.decimal('string').columnType('numeric'),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
  },
});
export type CryptoQuote = InferEntity<typeof CryptoQuote>;

/** What a customer has ordered by a quote, and what became of it. */
export const CryptoOrder = defineEntity({
  name: 'CryptoOrder',
  tableName: 'crypto_orders',
  properties: {
    id: p.uuid().$type<CryptoOrderId>().primary(),
    quoteId: p.uuid().$type<CryptoQuoteId>(),
    userId: p.uuid().$type<UserId>(),
    status: p.enum(ORDER_STATUSES),
    holdId: p.uuid(),
    transactionId: p.uuid().strictNullable(),
    failure: p.enum(ORDER_FAILURES).strictNullable(),
    createdAt: p.datetime(3),
    finishedAt: p.datetime(3).strictNullable(),
  },
});
export type CryptoOrder = InferEntity<typeof CryptoOrder>;
