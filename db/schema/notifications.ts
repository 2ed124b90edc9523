/** Messages that go out. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { MessageId, UserId } from '../../domain/ids.ts';
import type { MessageTemplate } from '../../domain/notifications/messages.ts';
import { CHANNELS } from '../../domain/notifications/messages.ts';

/** One message to one person. `sealedContent` holds recipient and values until it is delivered or given up. */
export const Message = defineEntity({
  name: 'Message',
  tableName: 'messages',
  properties: {
    id: p.uuid().$type<MessageId>().primary(),
    userId: p.uuid().$type<UserId>().strictNullable(),
    channel: p.enum(CHANNELS),
    template: p.text().$type<MessageTemplate>(),
    locale: p.text(),
    sealedContent: p.blob().$type<Buffer>().strictNullable(),
    status: p.enum(['queued', 'delivered', 'failed']).default('queued'),
    attempts: p.smallint().default(0),
    createdAt: p.datetime(3).defaultRaw('now()'),
    finishedAt: p.datetime(3).strictNullable(),
  },
});
export type Message = InferEntity<typeof Message>;
