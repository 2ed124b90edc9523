/** Events that people are told of: written in the transaction of their cause, delivered by the worker after its commit, or never. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { Cipher } from '../../adapters/cipher.ts';
import { newUuid } from '../../adapters/new-id.ts';
import { writeEvent } from '../../db/queries/notifications/events.ts';
import { EventId, type UserId } from '../../domain/ids.ts';
import { isAtAddress, type OutgoingNotice } from '../../domain/notifications/messages.ts';
import type { Addresses, Channel } from '../../domain/notifications/notifications.ts';

/** What is sealed in the row of an event; erased once nothing of it is left to send. */
const Content = z.strictObject({
  to: z.strictObject({ email: z.string().optional(), sms: z.string().optional() }),
  values: z.record(z.string(), z.string()),
});
export type EventContent = z.output<typeof Content>;

/** Tells somebody what has happened. Needs the transaction of the cause. */
export async function notify(db: EntityManager, cipher: Cipher, notice: OutgoingNotice): Promise<void> {
  await tell(db, cipher, { ...notice, eventId: notice.eventId ?? EventId.parse(newUuid()) });
}

interface Told {
  readonly eventId: EventId;
  readonly userId: UserId | null;
  readonly type: string;
  readonly locale: string;
  readonly to?: Addresses;
  /** Beside the feed; as the person prefers if it is left out. */
  readonly channels?: readonly Channel[] | undefined;
  readonly values: Readonly<Record<string, string>>;
}

/** As `notify`, for a type that only the database knows. False if the event was written before. */
export async function tell(db: EntityManager, cipher: Cipher, told: Told): Promise<boolean> {
  if (!db.isInTransaction()) throw new Error('an event is written in the transaction of its cause');
  const { eventId: id, userId, type, locale, to, channels, values } = told;
  const sealedContent = sealContent(cipher, id, to ?? {}, values);
  const addressed = to !== undefined && isAtAddress(type) ? Object.keys(to) : null;
  const event = { id, type, userId, locale, sealedContent, addressed, wanted: channels ?? null };
  const { written } = await writeEvent.one(db, event);
  return written;
}

/** Seals what an event holds, for its row. */
export function sealContent(
  cipher: Cipher,
  id: EventId,
  to: Addresses,
  values: Readonly<Record<string, string>>,
): Buffer {
  return cipher.seal(Buffer.from(JSON.stringify({ to, values } satisfies EventContent)), contextOf(id));
}

/** Opens what an event holds. Throws if the row was tampered with, or if its key has left the ring. */
export function openContent(cipher: Cipher, id: EventId, sealed: Uint8Array): EventContent {
  return Content.parse(JSON.parse(cipher.open(sealed, contextOf(id)).toString()));
}

function contextOf(id: EventId): string {
  return `events/${id}`;
}
