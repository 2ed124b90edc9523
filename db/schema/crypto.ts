/** Coins: on which terms the bank offers them, and how they move. What they are in the books is an asset. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { NETWORKS } from '../../domain/addresses/address.ts';
import { MEMO_RULES } from '../../domain/addresses/memo.ts';
import {
  BOOKING_KINDS,
  DEPOSIT_FAULTS,
  DEPOSIT_STATUSES,
  TRANSFER_STATUSES,
} from '../../domain/crypto/deposits.ts';
import { WALLET_STATUSES } from '../../domain/crypto/wallets.ts';
import type {
  CryptoDepositBookingId,
  CryptoDepositId,
  CryptoVaultId,
  CryptoWalletId,
  UsedPriceId,
  UserId,
} from '../../domain/ids.ts';
import { Minor } from './minor.ts';

/** A coin that the bank offers. Orders are between amounts of the base currency, in minor units; `Bps` are hundredths of a percent. */
export const CryptoAsset = defineEntity({
  name: 'CryptoAsset',
  tableName: 'crypto_assets',
  properties: {
    asset: p.text().primary(),
    name: p.text(),
    enabled: p.boolean().default(false),
    spreadBps: p.smallint().default(100),
    minOrder: p.type(Minor).defaultRaw('1000'),
    maxOrder: p.type(Minor).strictNullable(),
    breakerBps: p.smallint().default(1000),
    maxDeviationBps: p.smallint().default(200),
    debitsStopped: p.boolean().default(false),
    updatedBy: p.uuid().$type<UserId>().strictNullable(),
    updatedAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type CryptoAsset = InferEntity<typeof CryptoAsset>;

/** A chain that coins move on. Customers share addresses where payments carry memos. */
export const Network = defineEntity({
  name: 'Network',
  tableName: 'networks',
  properties: { code: p.text().primary(), carriesMemos: p.boolean().default(false) },
});
export type Network = InferEntity<typeof Network>;

/** How an asset moves on a network. Its `scale` is that of the chain, and so is the `remainder` that the books cannot hold; other amounts are minor units of the books. */
export const AssetNetwork = defineEntity({
  name: 'AssetNetwork',
  tableName: 'asset_networks',
  properties: {
    asset: p.text().primary(),
    network: p.enum(NETWORKS).primary(),
    enabled: p.boolean().default(false),
    custodyAsset: p.text(),
    scale: p.smallint(),
    contract: p.text().strictNullable(),
    confirmations: p.integer(),
    minDeposit: p.type(Minor).defaultRaw('0'),
    minWithdrawal: p.type(Minor).defaultRaw('0'),
    memo: p.enum(MEMO_RULES).default('none'),
    remainder: p.type(Minor).defaultRaw('0'),
    updatedBy: p.uuid().$type<UserId>().strictNullable(),
    updatedAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type AssetNetwork = InferEntity<typeof AssetNetwork>;

/** A vault at the custodian: a customer's, or one of the bank. */
export const CryptoVault = defineEntity({
  name: 'CryptoVault',
  tableName: 'crypto_vaults',
  properties: {
    id: p.uuid().$type<CryptoVaultId>().primary().defaultRaw('uuidv7()'),
    userId: p.uuid().$type<UserId>().strictNullable(),
    name: p.text(),
    custodyVault: p.text().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type CryptoVault = InferEntity<typeof CryptoVault>;

/** Where a customer receives a coin on a network; without a customer it is the wallet that others share. What it holds is in the chain's smallest unit. */
export const CryptoWallet = defineEntity({
  name: 'CryptoWallet',
  tableName: 'crypto_wallets',
  properties: {
    id: p.uuid().$type<CryptoWalletId>().primary().defaultRaw('uuidv7()'),
    userId: p.uuid().$type<UserId>().strictNullable(),
    vaultId: p.uuid().$type<CryptoVaultId>(),
    asset: p.text(),
    network: p.enum(NETWORKS),
    status: p.enum(WALLET_STATUSES).default('creating'),
    address: p.text().strictNullable(),
    memo: p.text().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    custodyTotal: p.type(Minor).strictNullable(),
    custodyAvailable: p.type(Minor).strictNullable(),
    custodyPending: p.type(Minor).strictNullable(),
    custodyFrozen: p.type(Minor).strictNullable(),
    custodyLocked: p.type(Minor).strictNullable(),
    custodyExpected: p.type(Minor).strictNullable(),
    refreshedAt: p.datetime(3).strictNullable(),
  },
});
export type CryptoWallet = InferEntity<typeof CryptoWallet>;

/** What one output of a transaction has brought to an address of the bank. `chainAmount` is in the chain's smallest unit. */
export const CryptoDeposit = defineEntity({
  name: 'CryptoDeposit',
  tableName: 'crypto_deposits',
  properties: {
    id: p.uuid().$type<CryptoDepositId>().primary().defaultRaw('uuidv7()'),
    userId: p.uuid().$type<UserId>().strictNullable(),
    asset: p.text(),
    network: p.enum(NETWORKS),
    txHash: p.text(),
    outputIndex: p.integer().strictNullable(),
    address: p.text(),
    memo: p.text().strictNullable(),
    sourceAddress: p.text().strictNullable(),
    chainAmount: p.type(Minor),
    amount: p.type(Minor),
    status: p.enum(DEPOSIT_STATUSES).default('pending'),
    fault: p.enum(DEPOSIT_FAULTS).strictNullable(),
    confirmations: p.integer(),
    requiredConfirmations: p.integer(),
    blockHash: p.text().strictNullable(),
    custodyId: p.text(),
    custodyStatus: p.enum(TRANSFER_STATUSES),
    custodyTold: p.text(),
    custodyUpdated: p.datetime(3),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    creditedAt: p.datetime(3).strictNullable(),
  },
});
export type CryptoDeposit = InferEntity<typeof CryptoDeposit>;

/** What was booked of a deposit, or taken back, in turns. Its id is the source of the ledger transaction. */
export const CryptoDepositBooking = defineEntity({
  name: 'CryptoDepositBooking',
  tableName: 'crypto_deposit_bookings',
  properties: {
    id: p.uuid().$type<CryptoDepositBookingId>().primary().defaultRaw('uuidv7()'),
    depositId: p.uuid().$type<CryptoDepositId>(),
    seq: p.smallint(),
    before: p.smallint().generated('nullif((seq - 1), 0)').strictNullable(),
    kind: p.enum(BOOKING_KINDS),
    chainAmount: p.type(Minor),
    transactionId: p.uuid().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type CryptoDepositBooking = InferEntity<typeof CryptoDepositBooking>;

/** An exchange that tells prices, and when a worker has last asked it. */
export const PriceSource = defineEntity({
  name: 'PriceSource',
  tableName: 'price_sources',
  properties: { source: p.text().primary(), askedAt: p.datetime(3) },
});
export type PriceSource = InferEntity<typeof PriceSource>;

/** The newest that a source has said: one whole coin is `price` units of the currency, by the source's clock. */
export const SourcePrice = defineEntity({
  name: 'SourcePrice',
  tableName: 'source_prices',
  properties: {
    asset: p.text().primary(),
    currency: p.text().primary(),
    source: p.text().primary(),
    price: p.decimal('string').columnType('numeric'),
    toldAt: p.datetime(3),
  },
});
export type SourcePrice = InferEntity<typeof SourcePrice>;

/** The newest price of a coin that the bank has taken, and the breaker that has kept it from taking another. */
export const CoinPrice = defineEntity({
  name: 'CoinPrice',
  tableName: 'coin_prices',
  properties: {
    asset: p.text().primary(),
    currency: p.text().primary(),
    price: p.decimal('string').columnType('numeric').strictNullable(),
    pricedAt: p.datetime(3).strictNullable(),
    sources: p.json().$type<unknown>().strictNullable(),
    breakerOpenedAt: p.datetime(3).strictNullable(),
    breakerPrice: p.decimal('string').columnType('numeric').strictNullable(),
  },
});
export type CoinPrice = InferEntity<typeof CoinPrice>;

/** A price that something was done at, with what its sources said. */
export const UsedPrice = defineEntity({
  name: 'UsedPrice',
  tableName: 'used_prices',
  properties: {
    id: p.uuid().$type<UsedPriceId>().primary().defaultRaw('uuidv7()'),
    asset: p.text(),
    currency: p.text(),
    price: p.decimal('string').columnType('numeric'),
    pricedAt: p.datetime(3),
    sources: p.json().$type<unknown>(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type UsedPrice = InferEntity<typeof UsedPrice>;

/** The moment of a day's snapshot, and the price of a coin then. */
export const CryptoSnapshotDay = defineEntity({
  name: 'CryptoSnapshotDay',
  tableName: 'crypto_snapshot_days',
  properties: {
    day: p.date().primary(),
    asset: p.text().primary(),
    currency: p.text(),
    priceId: p.uuid().$type<UsedPriceId>().strictNullable(),
    takenAt: p.datetime(3),
  },
});
export type CryptoSnapshotDay = InferEntity<typeof CryptoSnapshotDay>;

/** What a customer had of a coin at the moment of a day's snapshot. */
export const CryptoSnapshot = defineEntity({
  name: 'CryptoSnapshot',
  tableName: 'crypto_snapshots',
  properties: {
    userId: p.uuid().$type<UserId>().primary(),
    day: p.date().primary(),
    asset: p.text().primary(),
    balance: p.type(Minor),
  },
});
export type CryptoSnapshot = InferEntity<typeof CryptoSnapshot>;
