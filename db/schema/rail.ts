/** What was given to the payment rail, and its reports. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { TransferId } from '../../domain/ids.ts';
import { railReportKinds } from '../../domain/transfers/rail.ts';
import { Minor } from './minor.ts';

/** A payment given to the rail, written before its file. The amount is in minor units. */
export const RailPayment = defineEntity({
  name: 'RailPayment',
  tableName: 'rail_payments',
  properties: {
    transferId: p.uuid().$type<TransferId>().primary(),
    messageId: p.text(),
    asset: p.text(),
    amount: p.type(Minor),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    deliveredAt: p.datetime(3).strictNullable(),
  },
});
export type RailPayment = InferEntity<typeof RailPayment>;

/** A report of the rail about one payment, in the order of arrival (`seq`). */
export const RailMessage = defineEntity({
  name: 'RailMessage',
  tableName: 'rail_messages',
  properties: {
    seq: p.bigint().columnType('bigint').primary().autoincrement(),
    messageId: p.text(),
    transferId: p.uuid().$type<TransferId>(),
    kind: p.enum(railReportKinds),
    code: p.text().strictNullable(),
    reportedAt: p.datetime(3),
    folder: p.text(),
    file: p.text(),
    receivedAt: p.datetime(3).defaultRaw('bank_now()'),
    attempts: p.integer().default(0),
    dueAt: p.datetime(3).defaultRaw('bank_now()'),
    handledAt: p.datetime(3).strictNullable(),
  },
});
export type RailMessage = InferEntity<typeof RailMessage>;
