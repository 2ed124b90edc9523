/** What a holder has set for a card, what is paid with it, and the messages of the network. Only functions of the database write it. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { CurrencyCode } from '../../domain/assets.ts';
import {
  CARD_FILE_KINDS,
  CARD_PAYMENT_STATUSES,
  CLEARING_KINDS,
  CLEARING_STATUSES,
  MESSAGE_TYPES,
  PAYMENT_PURPOSES,
  type EntryMode,
  type AnswerReason,
  type MessagePurpose,
  type Merchant,
  type StoredDecline,
  type StoredIrregularity,
} from '../../domain/cards/payments.ts';
import type { CardControl, CardLimit } from '../../domain/cards/products.ts';
import type {
  AccountId,
  CardClearingId,
  CardFileId,
  CardId,
  CardPaymentId,
  UserId,
} from '../../domain/ids.ts';
import { Minor } from './minor.ts';

/** The holder's own controls and limits; amounts are minor units as text. */
export const CardTerms = defineEntity({
  name: 'CardTerms',
  tableName: 'card_terms',
  properties: {
    cardId: p.uuid().$type<CardId>().primary(),
    controls: p.json().$type<readonly CardControl[]>().defaultRaw(`'[]'::jsonb`),
    limits: p.json().$type<readonly CardLimit[]>().defaultRaw(`'[]'::jsonb`),
    updatedAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type CardTerms = InferEntity<typeof CardTerms>;

/** A payment as it follows from its messages. `networkId` is the id that the network has given it. */
export const CardPayment = defineEntity({
  name: 'CardPayment',
  tableName: 'card_payments',
  properties: {
    id: p.uuid().$type<CardPaymentId>().primary(),
    networkId: p.text(),
    cardId: p.uuid().$type<CardId>(),
    ownerId: p.uuid().$type<UserId>(),
    accountId: p.uuid().$type<AccountId>(),
    asset: p.text().$type<CurrencyCode>(),
    purpose: p.enum(PAYMENT_PURPOSES),
    status: p.enum(CARD_PAYMENT_STATUSES),
    authorised: p.type(Minor).defaultRaw('0'),
    completed: p.type(Minor).strictNullable(),
    reversed: p.type(Minor).defaultRaw('0'),
    cleared: p.type(Minor).defaultRaw('0'),
    refunded: p.type(Minor).defaultRaw('0'),
    lapsed: p.type(Minor).defaultRaw('0'),
    lapsedPlaces: p.array().$type<readonly number[]>().columnType('integer[]').defaultRaw(`'{}'::integer[]`),
    reversedWhole: p.boolean().default(false),
    matched: p.type(Minor).defaultRaw('0'),
    isFinal: p.boolean().default(false),
    clearedCash: p.type(Minor).defaultRaw('0'),
    clearedExchanged: p.type(Minor).defaultRaw('0'),
    bookedFees: p.type(Minor).defaultRaw('0'),
    holdId: p.uuid().strictNullable(),
    holdDays: p.smallint(),
    holdAmount: p.type(Minor).strictNullable(),
    holdPercent: p.decimal('string').columnType('numeric').strictNullable(),
    merchant: p.json().$type<Merchant>(),
    merchantAmount: p.type(Minor).strictNullable(),
    merchantAsset: p.text().$type<CurrencyCode>().strictNullable(),
    entryMode: p.text().$type<EntryMode>().strictNullable(),
    decline: p.json().$type<StoredDecline>().strictNullable(),
    declinedAt: p.datetime(3).strictNullable(),
    irregularities: p.json().$type<readonly StoredIrregularity[]>().defaultRaw(`'[]'::jsonb`),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    updatedAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type CardPayment = InferEntity<typeof CardPayment>;

/** A message and its answer, without anything secret. `contentIndex` is a keyed hash of all that it said. */
export const CardMessage = defineEntity({
  name: 'CardMessage',
  tableName: 'card_messages',
  properties: {
    id: p.uuid().primary(),
    type: p.enum(MESSAGE_TYPES),
    stan: p.text(),
    rrn: p.text(),
    networkId: p.text(),
    reversesStan: p.text().strictNullable(),
    reversesRrn: p.text().strictNullable(),
    contentIndex: p.blob(),
    paymentId: p.uuid().$type<CardPaymentId>().strictNullable(),
    place: p.integer().strictNullable(),
    purpose: p.text().$type<MessagePurpose>(),
    amount: p.type(Minor).strictNullable(),
    stoodIn: p.boolean().default(false),
    said: p.json().$type<Readonly<Record<string, unknown>>>(),
    reason: p.text().$type<AnswerReason>(),
    approvalCode: p.text().strictNullable(),
    approved: p.type(Minor).strictNullable(),
    balance: p.type(Minor).strictNullable(),
    asset: p.text().$type<CurrencyCode>().strictNullable(),
    at: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type CardMessage = InferEntity<typeof CardMessage>;

/** A file of the network. `contentHash` is of all that it says; `fault` is why it was refused, which may be before anything could be read. */
export const CardFile = defineEntity({
  name: 'CardFile',
  tableName: 'card_files',
  properties: {
    id: p.uuid().$type<CardFileId>().primary(),
    kind: p.enum(CARD_FILE_KINDS).strictNullable(),
    network: p.text().strictNullable(),
    networkId: p.text().strictNullable(),
    businessDay: p.date().strictNullable(),
    contentHash: p.blob(),
    objectKey: p.text(),
    records: p.integer(),
    fault: p.text().strictNullable(),
    settledBy: p.uuid().$type<CardFileId>().strictNullable(),
    net: p.type(Minor).strictNullable(),
    asset: p.text().$type<CurrencyCode>().strictNullable(),
    settledAt: p.datetime(3).strictNullable(),
    transactionId: p.uuid().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type CardFile = InferEntity<typeof CardFile>;

/** A record of a clearing file. `networkId` is the payment that it names; `transactionId` has booked it. */
export const CardClearing = defineEntity({
  name: 'CardClearing',
  tableName: 'card_clearings',
  properties: {
    id: p.uuid().$type<CardClearingId>().primary(),
    fileId: p.uuid().$type<CardFileId>(),
    network: p.text(),
    recordId: p.text(),
    networkId: p.text().strictNullable(),
    kind: p.enum(CLEARING_KINDS),
    amount: p.type(Minor),
    asset: p.text().$type<CurrencyCode>(),
    merchantAmount: p.type(Minor),
    merchantAsset: p.text().$type<CurrencyCode>(),
    merchant: p.json().$type<Merchant>(),
    interchange: p.type(Minor),
    isFinal: p.boolean(),
    lastFour: p.text(),
    cardId: p.uuid().$type<CardId>().strictNullable(),
    status: p.enum(CLEARING_STATUSES).default('waiting'),
    fault: p.text().strictNullable(),
    paymentId: p.uuid().$type<CardPaymentId>().strictNullable(),
    transactionId: p.uuid().strictNullable(),
    fee: p.type(Minor).strictNullable(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    bookedAt: p.datetime(3).strictNullable(),
  },
});
export type CardClearing = InferEntity<typeof CardClearing>;

/** Wrong verification values of a card, and what was paid since its holder last proved who they are. */
export const CardGuard = defineEntity({
  name: 'CardGuard',
  tableName: 'card_guards',
  properties: {
    cardId: p.uuid().$type<CardId>().primary(),
    cvvWrongAt: p
      .array()
      .$type<readonly Date[]>()
      .columnType('timestamptz(3)[]')
      .defaultRaw(`'{}'::timestamp with time zone[]`),
    cvvLockedUntil: p.datetime(3).strictNullable(),
    contactlessUses: p.integer().default(0),
    contactlessAmount: p.type(Minor).defaultRaw('0'),
    remoteUses: p.integer().default(0),
    remoteAmount: p.type(Minor).defaultRaw('0'),
  },
});
export type CardGuard = InferEntity<typeof CardGuard>;
