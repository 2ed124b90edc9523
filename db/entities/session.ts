import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { SessionId, UserId } from '../../domain/ids.ts';
import type { EndReason } from '../queries/sessions.ts';

/** One login of one device, from password to logout; all refresh tokens of a session are its family. */
export const Session = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    id: p.uuid().primary().$type<SessionId>().defaultRaw('uuidv7()'),
    userId: p.uuid().$type<UserId>(),
    deviceLabel: p.text().nullable(),
    userAgent: p.text().default(''),
    address: p.text(),
    amr: p.array().columnType('text[]').$type<string[]>(),
    authenticatedAt: p.datetime(3).defaultRaw('now()'),
    provedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    lastUsedAt: p.datetime(3).defaultRaw('now()'),
    expiresAt: p.datetime(3),
    endedAt: p.datetime(3).nullable(),
    endReason: p.text().$type<EndReason>().nullable(),
  },
});
export type Session = InferEntity<typeof Session>;
