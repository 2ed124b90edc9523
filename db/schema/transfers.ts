/** Orders to move money, and the rules they follow. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { CurrencyCode } from '../../domain/assets.ts';
import type {
  AccountId,
  BeneficiaryId,
  DecisionId,
  QuoteId,
  ScheduledTransferId,
  TransferId,
  UserId,
} from '../../domain/ids.ts';
import type { RefusalCode } from '../../domain/refusals.ts';
import { limitSubjects } from '../../domain/transfers/limits.ts';
import type { StoredPrice, Leg } from '../../domain/pricing/pricing.ts';
import { repeatUnits, scheduledTransferStatuses } from '../../domain/transfers/scheduled-transfers.ts';
import {
  decisionStates,
  personalDecisions,
  transferKinds,
  transferReaches,
  transferStatuses,
} from '../../domain/transfers/transfers.ts';
import { Minor } from './minor.ts';

/** A kind of transfer that the bank offers. `cutOff` is a time of day in `cutOffZone`. */
export const TransferType = defineEntity({
  name: 'TransferType',
  tableName: 'transfer_types',
  properties: {
    code: p.text().primary(),
    name: p.text(),
    enabled: p.boolean().default(true),
    approvalSeconds: p.integer().default(604_800),
    updatedAt: p.datetime(3).defaultRaw('bank_now()'),
    reach: p.enum(transferReaches).default('internal'),
    cutOff: p.time().columnType('time').strictNullable(),
    cutOffZone: p.text().default('Europe/Berlin'),
    businessDaysOnly: p.boolean().default(false),
  },
});
export type TransferType = InferEntity<typeof TransferType>;

/**
 * A currency in which a transfer type is offered; an amount above `approvalAbove` (minor units) waits for an
 * administrator.
 */
export const TransferTypeCurrency = defineEntity({
  name: 'TransferTypeCurrency',
  tableName: 'transfer_type_currencies',
  properties: {
    typeCode: p.text().primary(),
    asset: p.text().$type<CurrencyCode>().primary(),
    approvalAbove: p.type(Minor),
  },
});
export type TransferTypeCurrency = InferEntity<typeof TransferTypeCurrency>;

/**
 * The most that may be sent, in minor units; null is no limit. The row with the highest level that the customer has
 * reached counts.
 */
export const TransferLimit = defineEntity({
  name: 'TransferLimit',
  tableName: 'transfer_limits',
  properties: {
    typeCode: p.text().primary(),
    asset: p.text().$type<CurrencyCode>().primary(),
    kycLevel: p.smallint().primary(),
    subject: p.enum(limitSubjects).primary(),
    single: p.type(Minor).strictNullable(),
    day: p.type(Minor).strictNullable(),
    month: p.type(Minor).strictNullable(),
  },
});
export type TransferLimit = InferEntity<typeof TransferLimit>;

/** A permitted change of a transfer’s status. */
export const TransferMove = defineEntity({
  name: 'TransferMove',
  tableName: 'transfer_moves',
  properties: {
    fromStatus: p.text().primary(),
    toStatus: p.text().primary(),
  },
});
export type TransferMove = InferEntity<typeof TransferMove>;

/** A day on which a payment calendar is closed. */
export const BankHoliday = defineEntity({
  name: 'BankHoliday',
  tableName: 'bank_holidays',
  properties: {
    calendar: p.text().primary(),
    day: p.date().primary(),
  },
});
export type BankHoliday = InferEntity<typeof BankHoliday>;

/** A payee outside the bank, saved by a customer. */
export const Beneficiary = defineEntity({
  name: 'Beneficiary',
  tableName: 'beneficiaries',
  properties: {
    id: p.uuid().$type<BeneficiaryId>().primary().defaultRaw('uuidv7()'),
    userId: p.uuid().$type<UserId>(),
    name: p.text(),
    iban: p.text().strictNullable(),
    account: p.text().strictNullable(),
    bic: p.text().strictNullable(),
    country: p.character().length(2),
    fingerprint: p.text(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type Beneficiary = InferEntity<typeof Beneficiary>;

/** A binding offer: amounts (minor units), price, and whether the transfer needs approval. It can be used once. */
export const TransferQuote = defineEntity({
  name: 'TransferQuote',
  tableName: 'transfer_quotes',
  properties: {
    id: p.uuid().$type<QuoteId>().primary(),
    requestedBy: p.uuid().$type<UserId>(),
    typeCode: p.text(),
    sourceAccountId: p.uuid().$type<AccountId>(),
    destinationAccountId: p.uuid().$type<AccountId>().strictNullable(),
    asset: p.text(),
    amount: p.type(Minor),
    requiresApproval: p.boolean(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    expiresAt: p.datetime(3),
    transferId: p.uuid().$type<TransferId>().strictNullable(),
    targetAsset: p.text(),
    targetAmount: p.type(Minor),
    feeTotal: p.type(Minor).defaultRaw('0'),
    price: p.json().$type<StoredPrice>().strictNullable(),
    beneficiaryId: p.uuid().$type<BeneficiaryId>().strictNullable(),
  },
});
export type TransferQuote = InferEntity<typeof TransferQuote>;

/**
 * An order to move money and what became of it. Amounts are minor units. Only the functions `transfers_create` and
 * `transfer_carry_out` write it.
 */
export const Transfer = defineEntity({
  name: 'Transfer',
  tableName: 'transfers',
  properties: {
    id: p.uuid().$type<TransferId>().primary(),
    kind: p.enum(transferKinds),
    typeCode: p.text().strictNullable(),
    status: p.enum(transferStatuses),
    requestedBy: p.uuid().$type<UserId>(),
    customerId: p.uuid().$type<UserId>(),
    sourceAccountId: p.uuid().$type<AccountId>(),
    destinationAccountId: p.uuid().$type<AccountId>(),
    asset: p.text(),
    amount: p.type(Minor),
    description: p.text().default(''),
    reason: p.text().strictNullable(),
    quoteId: p.uuid().$type<QuoteId>().strictNullable(),
    requiresApproval: p.boolean(),
    holdId: p.uuid().strictNullable(),
    transactionId: p.uuid().strictNullable(),
    failureCode: p.text().strictNullable(),
    decidedBy: p.uuid().$type<UserId>().strictNullable(),
    decisionReason: p.text().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    approveUntil: p.datetime(3).strictNullable(),
    finishedAt: p.datetime(3).strictNullable(),
    decisionId: p.uuid().strictNullable(),
    targetAsset: p.text(),
    targetAmount: p.type(Minor),
    feeTotal: p.type(Minor).defaultRaw('0'),
    price: p.json().$type<StoredPrice>().strictNullable(),
    legs: p.json().$type<Leg[]>().strictNullable(),
    beneficiaryId: p.uuid().$type<BeneficiaryId>().strictNullable(),
    dueAt: p.datetime(3).strictNullable(),
    submittedAt: p.datetime(3).strictNullable(),
    returnCode: p.text().strictNullable(),
    returnTransactionId: p.uuid().strictNullable(),
    reversesId: p.uuid().$type<TransferId>().strictNullable(),
    valueDate: p.date().strictNullable(),
    limitDay: p.date().strictNullable(),
    approvedBy: p.uuid().$type<UserId>().strictNullable(),
    approvedAt: p.datetime(3).strictNullable(),
    originRequestId: p.text().strictNullable(),
  },
});
export type Transfer = InferEntity<typeof Transfer>;

/** What somebody has decided on a transfer; its process carries it out. */
export const TransferDecision = defineEntity({
  name: 'TransferDecision',
  tableName: 'transfer_decisions',
  properties: {
    id: p.uuid().$type<DecisionId>().primary(),
    transferId: p.uuid().$type<TransferId>(),
    kind: p.enum(personalDecisions),
    decidedBy: p.uuid().$type<UserId>(),
    reason: p.text().strictNullable(),
    requestId: p.text().strictNullable(),
    state: p.enum(decisionStates).default('accepted'),
    refusal: p.text().$type<RefusalCode>().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    concludedAt: p.datetime(3).strictNullable(),
  },
});
export type TransferDecision = InferEntity<typeof TransferDecision>;

/** A transfer for later, once or repeated. `amount` is in minor units of the fixed side. */
export const ScheduledTransfer = defineEntity({
  name: 'ScheduledTransfer',
  tableName: 'scheduled_transfers',
  properties: {
    id: p.uuid().$type<ScheduledTransferId>().primary(),
    userId: p.uuid().$type<UserId>(),
    typeCode: p.text().strictNullable(),
    sourceAccountId: p.uuid().$type<AccountId>(),
    destinationAccountId: p.uuid().$type<AccountId>().strictNullable(),
    beneficiaryId: p.uuid().$type<BeneficiaryId>().strictNullable(),
    fixedSide: p.enum(['source', 'target']),
    amount: p.type(Minor),
    asset: p.text(),
    targetAsset: p.text(),
    description: p.text().default(''),
    startsOn: p.date(),
    repeatUnit: p.enum(repeatUnits).strictNullable(),
    repeatEvery: p.smallint().default(1),
    endsOn: p.date().strictNullable(),
    runs: p.integer().default(0),
    nextOn: p.date().strictNullable(),
    status: p.enum(scheduledTransferStatuses).default('active'),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    endedAt: p.datetime(3).strictNullable(),
  },
});
export type ScheduledTransfer = InferEntity<typeof ScheduledTransfer>;

/** One due day of a scheduled transfer. */
export const ScheduledTransferRun = defineEntity({
  name: 'ScheduledTransferRun',
  tableName: 'scheduled_transfer_runs',
  properties: {
    transferId: p.uuid().$type<TransferId>().primary(),
    scheduledTransferId: p.uuid().$type<ScheduledTransferId>(),
    dueOn: p.date(),
    refusal: p.text().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type ScheduledTransferRun = InferEntity<typeof ScheduledTransferRun>;
