/** Events in a database that no worker sends from, so that a test can be the worker. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import type { Push } from '../../../adapters/push/push.ts';
import { createCipher } from '../../../adapters/cipher.ts';
import { loadConfig } from '../../../config.ts';
import {
  beginDeliveries,
  claimDeliveries,
  showDeliveries,
  type ClaimedDelivery,
} from '../../../db/queries/notifications/deliveries.ts';
import { EventId, type UserId } from '../../../domain/ids.ts';
import { CHANNELS, type Addresses, type Lane } from '../../../domain/notifications/notifications.ts';
import { refuse } from '../../../domain/refusals.ts';
import { subscribe } from '../../../services/notifications/push.ts';
import { tell } from '../../../services/notifications/events.ts';
import { stack } from '../stack/stack.ts';
import { newKey } from '../client.ts';
import type { Browser } from '../stack/push-service.ts';
import type { Books } from './books.ts';

export const config = loadConfig(stack.serviceEnv);
export const cipher = createCipher(config.ENCRYPTION_KEYS);

interface Written {
  readonly eventId?: EventId;
  readonly type?: string;
  readonly to?: Addresses;
  readonly values?: Readonly<Record<string, string>>;
}

export const newEvent = (): EventId => EventId.parse(randomUUID());

/** Tells somebody; a reply to a ticket if nothing else is said. */
export async function happen(
  em: EntityManager,
  userId: UserId | null,
  { eventId = newEvent(), type = 'ticket_reply', to, values = { number: 'T-100001' } }: Written = {},
): Promise<boolean> {
  const told = { eventId, userId, type, locale: 'en', values, ...(to === undefined ? {} : { to }) };
  return em.transactional((tx) => tell(tx, cipher, told));
}

/** Claims what is due, as a worker does. */
export function claim(
  em: EntityManager,
  lane: Lane = 'common',
  leaseSeconds = 60,
): Promise<ClaimedDelivery[]> {
  return claimDeliveries.all(em, { lane, channels: [...CHANNELS], most: 500, leaseSeconds });
}

type Which = Pick<ClaimedDelivery, 'id' | 'claim'>;

/** Begins a delivery, as a worker does. False if it may not. */
export async function begin(em: EntityManager, { id, claim: fence }: Which): Promise<boolean> {
  const items = [{ id, claim: fence, address: null }];
  return (await beginDeliveries.one(em, { items, leaseSeconds: 60 })).done;
}

/** Shows a delivery in the feed. False if the claim is lost. */
export async function show(
  em: EntityManager,
  { id, claim: fence, notificationId }: ClaimedDelivery,
): Promise<boolean> {
  const items = [{ id, claim: fence, notification_id: notificationId, title: 'A', body: 'B', link: null }];
  return (await showDeliveries.one(em, { items })).done;
}

/** The deliveries of somebody, by channel. */
export async function deliveriesOf(
  books: Books,
  userId: UserId | null,
): Promise<Record<string, Record<string, unknown>>> {
  const found = await books.asOwner(
    `select d.* from notification_deliveries d join notifications n on n.id = d.notification_id
      where n.user_id is not distinct from $1 order by d.id`,
    [userId],
  );
  return Object.fromEntries(found.map((delivery) => [String(delivery['channel']), delivery]));
}

/** As if the lease of every claim were over. */
export async function passLeases(books: Books): Promise<void> {
  await books.asOwner(
    `update notification_deliveries set due_at = now() - interval '1 second', claimed_until = case when claim is not null then now() end
      where status = 'queued'`,
  );
}

/** A browser of somebody that takes push messages from now on. */
export async function subscribes(
  { em }: Books,
  userId: UserId,
  { endpoint, keys }: Browser,
  push: Push | undefined,
): Promise<void> {
  const actor = { id: userId, role: 'customer', address: '127.0.0.1', requestId: newKey() } as const;
  const call = { actor, refusal: refuse, newId: randomUUID() };
  await em().transactional((db) => subscribe({ ...call, db }, { cipher, push }, { endpoint, keys }));
}
