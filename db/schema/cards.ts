/** Cards, the payment systems that they belong to, and the products that the bank offers. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import {
  CARD_BLOCKERS,
  CARD_CLOSED_REASONS,
  CARD_STATUSES,
  PIN_CHANGES,
  PIN_STATUSES,
  REVEALED,
} from '../../domain/cards/cards.ts';
import {
  CARD_KINDS,
  type HoldRule,
  type ProductControl,
  type ProductLimit,
  type ScaRemote,
  type ScaRule,
} from '../../domain/cards/products.ts';
import type { CurrencyCode } from '../../domain/assets.ts';
import type {
  AccountId,
  AccountTypeId,
  CardId,
  CardPaymentSystemId,
  CardProductId,
  UserId,
} from '../../domain/ids.ts';
import { Minor } from './minor.ts';

/** A scheme whose cards the bank issues. `panLength` counts the check digit. */
export const CardPaymentSystem = defineEntity({
  name: 'CardPaymentSystem',
  tableName: 'card_payment_systems',
  properties: {
    id: p.uuid().$type<CardPaymentSystemId>().primary().defaultRaw('uuidv7()'),
    code: p.text(),
    name: p.text(),
    panLength: p.smallint(),
    version: p.integer().default(1),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    updatedAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type CardPaymentSystem = InferEntity<typeof CardPaymentSystem>;

/** Numbers that cards can get, without their check digits, and how many of them have been given. */
export const CardIinRange = defineEntity({
  name: 'CardIinRange',
  tableName: 'card_iin_ranges',
  properties: {
    paymentSystemId: p.uuid().$type<CardPaymentSystemId>().primary(),
    first: p.bigint().primary(),
    last: p.bigint(),
    panLength: p.smallint(),
    issued: p.bigint().defaultRaw('0'),
  },
});
export type CardIinRange = InferEntity<typeof CardIinRange>;

/** What a payment system was from a moment on. */
export const CardPaymentSystemVersion = defineEntity({
  name: 'CardPaymentSystemVersion',
  tableName: 'card_payment_system_versions',
  properties: {
    paymentSystemId: p.uuid().$type<CardPaymentSystemId>().primary(),
    version: p.integer().primary(),
    name: p.text(),
    iinRanges: p.json().$type<readonly { readonly first: string; readonly last: string }[]>(),
    createdBy: p.uuid().$type<UserId>().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type CardPaymentSystemVersion = InferEntity<typeof CardPaymentSystemVersion>;

/** The part of a product that never changes, and which version is the newest. */
export const CardProduct = defineEntity({
  name: 'CardProduct',
  tableName: 'card_products',
  properties: {
    id: p.uuid().$type<CardProductId>().primary().defaultRaw('uuidv7()'),
    code: p.text(),
    paymentSystemId: p.uuid().$type<CardPaymentSystemId>(),
    kind: p.enum(CARD_KINDS),
    asset: p.text().$type<CurrencyCode>(),
    version: p.integer().default(1),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    updatedAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type CardProduct = InferEntity<typeof CardProduct>;

/** What a product says, for the cards that are issued under this version. Amounts are minor units of the product's currency. */
export const CardProductVersion = defineEntity({
  name: 'CardProductVersion',
  tableName: 'card_product_versions',
  properties: {
    productId: p.uuid().$type<CardProductId>().primary(),
    version: p.integer().primary(),
    name: p.text(),
    enabled: p.boolean(),
    accountTypeIds: p.json().$type<readonly AccountTypeId[]>(),
    validityMonths: p.smallint(),
    holdRules: p.json().$type<readonly HoldRule[]>(),
    controls: p.json().$type<readonly ProductControl[]>(),
    limits: p.json().$type<readonly ProductLimit[]>(),
    sca: p.json().$type<ScaRule>(),
    scaRemote: p.json().$type<ScaRemote>(),
    pinTries: p.smallint(),
    standInLimit: p.type(Minor),
    createdBy: p.uuid().$type<UserId>().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type CardProductVersion = InferEntity<typeof CardProductVersion>;

/** A card, without anything secret. `expiresOn` is its last day; `blockedBefore` is a block of the customer’s below that of the bank. */
export const Card = defineEntity({
  name: 'Card',
  tableName: 'cards',
  properties: {
    id: p.uuid().$type<CardId>().primary(),
    ownerId: p.uuid().$type<UserId>(),
    accountId: p.uuid().$type<AccountId>(),
    productId: p.uuid().$type<CardProductId>(),
    productVersion: p.integer(),
    kind: p.enum(CARD_KINDS),
    status: p.enum(CARD_STATUSES),
    blockedBy: p.enum(CARD_BLOCKERS).strictNullable(),
    blockedBefore: p.boolean().default(false),
    closedReason: p.enum(CARD_CLOSED_REASONS).strictNullable(),
    lastFour: p.text(),
    expiresOn: p.date(),
    replaces: p.uuid().$type<CardId>().strictNullable(),
    /** A damaged card works until one that follows it is activated. */
    damagedAt: p.datetime(3).strictNullable(),
    /** The first of the cards that follow one another up to this one. */
    lineId: p.uuid().$type<CardId>(),
    merchant: p.text().strictNullable(),
    singleUseAmount: p.type(Minor).strictNullable(),
    sealedShipping: p.blob().strictNullable(),
    pinStatus: p.enum(PIN_STATUSES).default('unset'),
    issuedBy: p.uuid().$type<UserId>(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    activatedAt: p.datetime(3).strictNullable(),
    closedAt: p.datetime(3).strictNullable(),
    shippedAt: p.datetime(3).strictNullable(),
  },
});
export type Card = InferEntity<typeof Card>;

/** The sealed number of a card and its keyed hash. Only functions of the database read it. */
export const CardSecret = defineEntity({
  name: 'CardSecret',
  tableName: 'card_secrets',
  properties: {
    cardId: p.uuid().$type<CardId>().primary(),
    keyId: p.text(),
    numberIndex: p.blob(),
    sealedNumber: p.blob(),
  },
});
export type CardSecret = InferEntity<typeof CardSecret>;

/** That somebody has seen a secret of a card. */
export const CardReveal = defineEntity({
  name: 'CardReveal',
  tableName: 'card_reveals',
  properties: {
    id: p.uuid().primary().defaultRaw('uuidv7()'),
    cardId: p.uuid().$type<CardId>(),
    what: p.enum(REVEALED),
    at: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type CardReveal = InferEntity<typeof CardReveal>;

/** The verification value of a card's PIN. Only functions of the database read it. */
export const CardPin = defineEntity({
  name: 'CardPin',
  tableName: 'card_pins',
  properties: {
    cardId: p.uuid().$type<CardId>().primary(),
    keyId: p.text(),
    verificationValue: p.blob(),
    wrongTries: p.smallint().default(0),
    setAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type CardPin = InferEntity<typeof CardPin>;

/** That the holder of a card has set or unlocked its PIN. */
export const CardPinChange = defineEntity({
  name: 'CardPinChange',
  tableName: 'card_pin_changes',
  properties: {
    id: p.uuid().primary().defaultRaw('uuidv7()'),
    cardId: p.uuid().$type<CardId>(),
    change: p.enum(PIN_CHANGES),
    nonceHash: p.blob().strictNullable(),
    at: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type CardPinChange = InferEntity<typeof CardPinChange>;
