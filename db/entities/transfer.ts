import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { AccountId, BeneficiaryId, QuoteId, TransferId, UserId } from '../../domain/ids.ts';
import {
  transferKinds,
  transferStatuses,
  type TransferKind,
  type TransferReach,
  type TransferStatus,
  transferReaches,
} from '../../domain/transfers.ts';
import { Minor } from '../types/minor.ts';

/** A kind of transfer that the bank offers. */
export const TransferType = defineEntity({
  name: 'TransferType',
  tableName: 'transfer_types',
  properties: {
    code: p.text().primary(),
    name: p.text(),
    enabled: p.boolean().default(true),
    approvalSeconds: p.integer().default(604_800),
    reach: p.enum(transferReaches).$type<TransferReach>().default('internal'),
    cutOff: p.time().nullable(),
    cutOffZone: p.text().default('Europe/Berlin'),
    businessDaysOnly: p.boolean().default(false),
    updatedAt: p.datetime(3).defaultRaw('now()'),
  },
});
export type TransferType = InferEntity<typeof TransferType>;

/** A currency in which a transfer type is offered; an amount above `approvalAbove` (minor units) waits for an administrator. */
export const TransferTypeCurrency = defineEntity({
  name: 'TransferTypeCurrency',
  tableName: 'transfer_type_currencies',
  properties: {
    type: () => p.manyToOne(TransferType).primary().fieldName('type_code'),
    asset: p.text().primary(),
    approvalAbove: p.type(Minor),
  },
});
export type TransferTypeCurrency = InferEntity<typeof TransferTypeCurrency>;

/** A binding offer: what will be moved and whether it needs approval, for `QUOTE_SECONDS`, once. */
export const TransferQuote = defineEntity({
  name: 'TransferQuote',
  tableName: 'transfer_quotes',
  properties: {
    id: p.uuid().primary().$type<QuoteId>(),
    requestedBy: p.uuid().$type<UserId>(),
    typeCode: p.text(),
    sourceAccountId: p.uuid().$type<AccountId>(),
    destinationAccountId: p.uuid().$type<AccountId>().nullable(),
    beneficiaryId: p.uuid().$type<BeneficiaryId>().nullable(),
    asset: p.text(),
    amount: p.type(Minor),
    targetAsset: p.text(),
    targetAmount: p.type(Minor),
    feeTotal: p.type(Minor).defaultRaw('0'),
    price: p.json().nullable(),
    requiresApproval: p.boolean(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    expiresAt: p.datetime(3),
    transferId: p.uuid().$type<TransferId>().unique().nullable(),
  },
});
export type TransferQuote = InferEntity<typeof TransferQuote>;

/** An intent to move money and what became of it. Read-only here: the functions `transfers_open` and `transfer_decide` write it. */
export const Transfer = defineEntity({
  name: 'Transfer',
  tableName: 'transfers',
  properties: {
    id: p.uuid().primary().$type<TransferId>(),
    kind: p.enum(transferKinds).$type<TransferKind>(),
    typeCode: p.text().nullable(),
    status: p.enum(transferStatuses).$type<TransferStatus>(),
    requestedBy: p.uuid().$type<UserId>(),
    customerId: p.uuid().$type<UserId>(),
    sourceAccountId: p.uuid().$type<AccountId>(),
    destinationAccountId: p.uuid().$type<AccountId>(),
    asset: p.text(),
    amount: p.type(Minor),
    targetAsset: p.text(),
    targetAmount: p.type(Minor),
    feeTotal: p.type(Minor).defaultRaw('0'),
    beneficiaryId: p.uuid().$type<BeneficiaryId>().nullable(),
    reversesId: p.uuid().$type<TransferId>().nullable(),
    description: p.text().default(''),
    reason: p.text().nullable(),
    quoteId: p.uuid().$type<QuoteId>().nullable(),
    requiresApproval: p.boolean(),
    holdId: p.uuid().nullable(),
    transactionId: p.uuid().nullable(),
    failureCode: p.text().nullable(),
    decidedBy: p.uuid().$type<UserId>().nullable(),
    decisionReason: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    approveUntil: p.datetime(3).nullable(),
    finishedAt: p.datetime(3).nullable(),
  },
});
export type Transfer = InferEntity<typeof Transfer>;
