/** One notification to all browsers of a person. */
import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Cipher } from '../../../adapters/cipher.ts';
import type { Push, PushOutcome } from '../../../adapters/push/push.ts';
import type { ClaimedDelivery } from '../../../db/queries/notifications/deliveries.ts';
import {
  deletePushSubscription,
  notePushRefused,
  notePushTaken,
  pushTargetsOf,
} from '../../../db/queries/notifications/push.ts';
import type { PushSubscriptionId, UserId } from '../../../domain/ids.ts';
import { now } from '../../../domain/time/now.ts';
import { openTarget } from '../push.ts';
import type { Rendered } from '../texts/rendering.ts';

/** In a row, without any success between them. */
const MOST_REFUSALS = 5;
/** A message is encrypted whole, and services take 4,096 bytes of it. */
const LONGEST_BODY = 1_000;

export interface PushDeps {
  readonly em: () => EntityManager;
  readonly cipher: Cipher;
  readonly push: Push | undefined;
  readonly log: Logger;
}

/** Of all browsers together: one has it, or may have it; none can get it; or none was reached, and it may be tried again then. */
export type PushResult = 'sent' | 'no_answer' | 'no_address' | { readonly afterSeconds: number };

/** Sends it to each browser once. Those that are gone, or that subscribed with another key, are forgotten. */
export async function pushToAll(
  deps: PushDeps,
  delivery: ClaimedDelivery & { readonly userId: UserId },
  text: Rendered,
): Promise<PushResult> {
  const { em, push } = deps;
  const { userId, notificationId, typeCode, expiresAt, mandatory, collapseKey } = delivery;
  if (push === undefined) return 'no_address';
  const payload = JSON.stringify({
    ...{
      id: notificationId,
      type: typeCode,
      title: text.subject ?? '',
      body: text.body.slice(0, LONGEST_BODY),
    },
  });
  const message = {
    payload,
    ttlSeconds: Math.ceil((expiresAt.getTime() - now().getTime()) / 1_000),
    urgency: mandatory ? ('high' as const) : ('normal' as const),
    topic: collapseKey === null ? undefined : topicOf(userId, collapseKey),
  };
  const targets = await pushTargetsOf.all(em(), { userId });
  // at once: a slow one must not keep the others from their message
  const outcomes = await Promise.all(
    targets.map(async ({ id, keyVersion, sealedTarget }) => {
      const isOurs = keyVersion === push.keyVersion;
      const outcome = isOurs ? await push.send(openTarget(deps.cipher, id, sealedTarget), message) : 'gone';
      return { id, outcome };
    }),
  );
  for (const { id, outcome } of outcomes) await note(deps, { id, userId }, outcome);
  return resultOf(outcomes.map(({ outcome }) => outcome));
}

async function note(
  { em, log }: PushDeps,
  { id, userId }: { readonly id: PushSubscriptionId; readonly userId: UserId },
  outcome: PushOutcome,
): Promise<void> {
  if (outcome === 'taken') await notePushTaken.run(em(), { id });
  if (outcome === 'gone') await deletePushSubscription.run(em(), { id, userId });
  if (outcome === 'refused') await notePushRefused.run(em(), { id, most: MOST_REFUSALS });
  if (outcome !== 'taken') log.info({ pushSubscriptionId: id, outcome }, 'a browser did not take a message');
}

function resultOf(outcomes: readonly PushOutcome[]): PushResult {
  if (outcomes.includes('taken')) return 'sent';
  if (outcomes.includes('unknown')) return 'no_answer';
  const waits = outcomes.flatMap((outcome) => (typeof outcome === 'object' ? [outcome.afterSeconds] : []));
  return waits.length === 0 ? 'no_address' : { afterSeconds: Math.min(...waits) };
}

/** RFC 8030 §5.4: at most 32 characters of base64url, and nothing that says what it is. */
function topicOf(userId: UserId, key: string): string {
  return createHash('sha256').update(`${userId} ${key}`).digest('base64url').slice(0, 32);
}
