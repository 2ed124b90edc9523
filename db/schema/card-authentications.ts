/** Authentications of online card payments (3-D Secure). Only functions of the database write them. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { CurrencyCode } from '../../domain/assets.ts';
import { STORED_AUTHENTICATIONS } from '../../domain/cards/authentications.ts';
import type { AnswerReason, Merchant } from '../../domain/cards/payments.ts';
import type { CardAuthenticationId, CardId, UserId } from '../../domain/ids.ts';
import { Minor } from './minor.ts';

/** An authentication. `amount` is minor units of `asset`; `expiresAt` is null if the holder was not asked. Times are the machine's. */
export const CardAuthentication = defineEntity({
  name: 'CardAuthentication',
  tableName: 'card_authentications',
  properties: {
    id: p.uuid().$type<CardAuthenticationId>().primary(),
    networkId: p.text(),
    contentIndex: p.blob(),
    cardId: p.uuid().$type<CardId>().strictNullable(),
    lineId: p.uuid().$type<CardId>().strictNullable(),
    ownerId: p.uuid().$type<UserId>().strictNullable(),
    asset: p.text().$type<CurrencyCode>(),
    amount: p.type(Minor),
    merchant: p.json().$type<Merchant>(),
    status: p.enum(STORED_AUTHENTICATIONS),
    reason: p.text().$type<AnswerReason>().strictNullable(),
    rule: p.text().strictNullable(),
    expiresAt: p.datetime(3).strictNullable(),
    decidedAt: p.datetime(3).strictNullable(),
    proofExpiresAt: p.datetime(3).strictNullable(),
    spentBy: p.uuid().strictNullable(),
    spentAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3),
  },
});
export type CardAuthentication = InferEntity<typeof CardAuthentication>;
