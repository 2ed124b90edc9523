/** Browsers that take push messages: each subscribes once, for whoever did last. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Cipher } from '../../adapters/cipher.ts';
import type { Push, PushTarget } from '../../adapters/push/push.ts';
import {
  insertPushSubscription,
  keepNewestPush,
  lockPushEndpoint,
  renewPushSubscription,
  type PushSubscriptionRow,
} from '../../db/queries/notifications/push.ts';
import type { Person } from '../../domain/actor.ts';
import { PushSubscriptionId } from '../../domain/ids.ts';
import type { Call } from '../callers.ts';

/** Browsers of one person; the oldest makes room. */
const MOST = 20;

const Target = z.strictObject({
  endpoint: z.string(),
  keys: z.strictObject({ p256dh: z.string(), auth: z.string() }),
});

/** Subscribes a browser, or renews what it has subscribed. `newId` is the same for every repeat. */
export async function subscribe(
  {
    db,
    actor,
    newId,
    refusal,
  }: Call<'push_not_offered' | 'conflict'> & { readonly actor: Person; readonly newId: string },
  { cipher, push }: { readonly cipher: Cipher; readonly push: Push | undefined },
  target: PushTarget,
): Promise<PushSubscriptionRow> {
  if (push === undefined) throw refusal('push_not_offered');
  const endpointHash = createHash('sha256').update(target.endpoint).digest();
  const known = await lockPushEndpoint.first(db, { endpointHash });
  const id = known?.id ?? PushSubscriptionId.parse(newId);
  const sealedTarget = cipher.seal(Buffer.from(JSON.stringify(target)), contextOf(id));
  const written = { id, userId: actor.id, sealedTarget, keyVersion: push.keyVersion };
  if (known !== undefined) return renewPushSubscription.one(db, written);
  const host = new URL(target.endpoint).hostname;
  const made = await insertPushSubscription.first(db, { ...written, endpointHash, host });
  if (made === undefined) throw refusal('conflict');
  await keepNewestPush.run(db, { userId: actor.id, most: MOST });
  return made;
}

/** Where a message goes. Throws if the row was tampered with, or if its key has left the ring. */
export function openTarget(cipher: Cipher, id: PushSubscriptionId, sealed: Uint8Array): PushTarget {
  return Target.parse(JSON.parse(cipher.open(sealed, contextOf(id)).toString()));
}

function contextOf(id: PushSubscriptionId): string {
  return `push_subscriptions/${id}`;
}
