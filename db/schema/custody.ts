/** The custodian beside the books: what it tells, what moves there for the bank itself, and what it holds. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { NETWORKS } from '../../domain/addresses/address.ts';
import { CUSTODY_EVENT_STATUSES } from '../../domain/crypto/custody-events.ts';
import { TRANSFER_STATUSES } from '../../domain/crypto/deposits.ts';
import { MOVEMENT_PARTS, MOVEMENT_ROLES } from '../../domain/crypto/movements.ts';
import type { CustodyEventId, CustodyMovementBookingId, CustodyMovementId } from '../../domain/ids.ts';
import { Minor } from './minor.ts';

/** Something that the custodian has told, in the bytes that it has signed. `fault` says why somebody has to look. */
export const CustodyEvent = defineEntity({
  name: 'CustodyEvent',
  tableName: 'custody_events',
  properties: {
    id: p.uuid().$type<CustodyEventId>().primary().defaultRaw('uuidv7()'),
    eventKey: p.text(),
    type: p.text().strictNullable(),
    resource: p.text().strictNullable(),
    body: p.blob().$type<Buffer>(),
    status: p.enum(CUSTODY_EVENT_STATUSES).default('waiting'),
    fault: p.text().strictNullable(),
    receivedAt: p.datetime(3).defaultRaw('bank_now()'),
    claimedUntil: p.datetime(3).strictNullable(),
  },
});
export type CustodyEvent = InferEntity<typeof CustodyEvent>;

/** What moves at the custodian for the bank itself: gas, fees, coins of the bank. Amounts are in the chain's smallest unit. */
export const CustodyMovement = defineEntity({
  name: 'CustodyMovement',
  tableName: 'custody_movements',
  properties: {
    id: p.uuid().$type<CustodyMovementId>().primary().defaultRaw('uuidv7()'),
    custodyId: p.text(),
    part: p.enum(MOVEMENT_PARTS),
    vault: p.text(),
    role: p.enum(MOVEMENT_ROLES),
    asset: p.text(),
    network: p.enum(NETWORKS),
    chainAmount: p.type(Minor),
    booked: p.type(Minor).defaultRaw('0'),
    custodyStatus: p.enum(TRANSFER_STATUSES),
    custodyUpdated: p.datetime(3),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type CustodyMovement = InferEntity<typeof CustodyMovement>;

/** What was booked of a movement, or taken back. Its id is the source of the ledger transaction. */
export const CustodyMovementBooking = defineEntity({
  name: 'CustodyMovementBooking',
  tableName: 'custody_movement_bookings',
  properties: {
    id: p.uuid().$type<CustodyMovementBookingId>().primary().defaultRaw('uuidv7()'),
    movementId: p.uuid().$type<CustodyMovementId>(),
    chainAmount: p.type(Minor),
    transactionId: p.uuid().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type CustodyMovementBooking = InferEntity<typeof CustodyMovementBooking>;

/** What the custodian said last that all vaults of the bank hold together, in whole coins. */
export const CustodyHolding = defineEntity({
  name: 'CustodyHolding',
  tableName: 'custody_holdings',
  properties: {
    asset: p.text().primary(),
    network: p.enum(NETWORKS).primary(),
    total: p.decimal('string').columnType('numeric'),
    available: p.decimal('string').columnType('numeric'),
    pending: p.decimal('string').columnType('numeric'),
    frozen: p.decimal('string').columnType('numeric'),
    locked: p.decimal('string').columnType('numeric'),
  },
});
export type CustodyHolding = InferEntity<typeof CustodyHolding>;

/** A coin when it was counted last: customers and house by the books, and the custodian, in whole coins. */
export const CryptoReserve = defineEntity({
  name: 'CryptoReserve',
  tableName: 'crypto_reserves',
  properties: {
    asset: p.text().primary(),
    owed: p.decimal('string').columnType('numeric'),
    overdrawn: p.decimal('string').columnType('numeric'),
    house: p.json().$type<unknown>(),
    inFlight: p.decimal('string').columnType('numeric'),
    remainder: p.decimal('string').columnType('numeric'),
    custodian: p.decimal('string').columnType('numeric'),
    difference: p.decimal('string').columnType('numeric'),
    shortfall: p.decimal('string').columnType('numeric'),
    differsSince: p.datetime(3).strictNullable(),
    shortSince: p.datetime(3).strictNullable(),
    askedAt: p.datetime(3),
    countedAt: p.datetime(3),
  },
});
export type CryptoReserve = InferEntity<typeof CryptoReserve>;

/** Until when the bank knows what has changed at the custodian, when a worker has last asked, and when coins were counted last. */
export const CustodyPoll = defineEntity({
  name: 'CustodyPoll',
  tableName: 'custody_poll',
  properties: {
    one: p.boolean().primary().defaultRaw('true'),
    seenUntil: p.datetime(3),
    polledAt: p.datetime(3).defaultRaw(`'-infinity'::timestamp with time zone`),
    countedAt: p.datetime(3).defaultRaw(`'-infinity'::timestamp with time zone`),
  },
});
export type CustodyPoll = InferEntity<typeof CustodyPoll>;
