import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { MessageId, UserId } from '../../domain/ids.ts';
import type { Channel } from '../../domain/messages.ts';

/** One message to one person. `sealedContent` holds recipient and values until it is delivered or given up, then nothing. */
export const Message = defineEntity({
  name: 'Message',
  tableName: 'messages',
  properties: {
    id: p.uuid().primary().$type<MessageId>(),
    userId: p.uuid().$type<UserId>().nullable(),
    channel: p.text().$type<Channel>(),
    template: p.text(),
    locale: p.text(),
    sealedContent: p.blob().nullable(),
    status: p.text().$type<'queued' | 'delivered' | 'failed'>().default('queued'),
    attempts: p.smallint().default(0),
    createdAt: p.datetime(3).defaultRaw('now()'),
    finishedAt: p.datetime(3).nullable(),
  },
});
export type Message = InferEntity<typeof Message>;
