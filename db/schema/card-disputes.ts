/** Disputes of card payments. Only functions of the database write them, but for the files that belong to one. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { CurrencyCode } from '../../domain/assets.ts';
import { DISPUTE_REASONS, DISPUTE_STATUSES } from '../../domain/cards/disputes.ts';
import type { CardDisputeId, CardPaymentId, UploadId, UserId } from '../../domain/ids.ts';
import { Minor } from './minor.ts';

/**
 * A dispute. Amounts are minor units of `asset`: `credited` was given provisionally, with `creditedFee` of it for fees of the payment, and
 * `takenBack` is what of that was taken again; `refunded` is what the merchant has given back meanwhile; `claimed` is what the network was last
 * told is claimed.
 */
export const CardDispute = defineEntity({
  name: 'CardDispute',
  tableName: 'card_disputes',
  properties: {
    id: p.uuid().$type<CardDisputeId>().primary(),
    paymentId: p.uuid().$type<CardPaymentId>(),
    ownerId: p.uuid().$type<UserId>(),
    asset: p.text().$type<CurrencyCode>(),
    reason: p.enum(DISPUTE_REASONS),
    explanation: p.text(),
    amount: p.type(Minor),
    status: p.enum(DISPUTE_STATUSES).default('in_review'),
    refunded: p.type(Minor).defaultRaw('0'),
    firstBy: p.uuid().$type<UserId>().strictNullable(),
    firstAt: p.datetime(3).strictNullable(),
    decidedBy: p.uuid().$type<UserId>().strictNullable(),
    decidedAt: p.datetime(3).strictNullable(),
    decisionReason: p.text().strictNullable(),
    credited: p.type(Minor).defaultRaw('0'),
    creditedFee: p.type(Minor).defaultRaw('0'),
    takenBack: p.type(Minor).defaultRaw('0'),
    creditedAccountId: p.uuid().strictNullable(),
    dueAt: p.datetime(3),
    remindedAt: p.datetime(3).strictNullable(),
    claimed: p.type(Minor).strictNullable(),
    endedAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    updatedAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type CardDispute = InferEntity<typeof CardDispute>;

/** What was booked for a dispute. */
export const CardDisputePosting = defineEntity({
  name: 'CardDisputePosting',
  tableName: 'card_dispute_postings',
  properties: {
    id: p.uuid().primary(),
    disputeId: p.uuid().$type<CardDisputeId>(),
    kind: p.enum(['dispute_credit', 'dispute_reversal', 'dispute_settlement']),
    amount: p.type(Minor),
    transactionId: p.uuid(),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
  },
});
export type CardDisputePosting = InferEntity<typeof CardDisputePosting>;

/** Ties a file to a dispute. */
export const CardDisputeAttachment = defineEntity({
  name: 'CardDisputeAttachment',
  tableName: 'card_dispute_attachments',
  properties: {
    uploadId: p.uuid().$type<UploadId>().primary(),
    disputeId: p.uuid().$type<CardDisputeId>(),
  },
});
export type CardDisputeAttachment = InferEntity<typeof CardDisputeAttachment>;
