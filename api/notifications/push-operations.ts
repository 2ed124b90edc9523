/** Browsers that take push messages. */
import { z } from 'zod';
import { isPushEndpoint, isPushKey } from '../../adapters/push/push.ts';
import { deletePushSubscription, pushSubscriptionsOf } from '../../db/queries/notifications/push.ts';
import { PushSubscriptionId } from '../../domain/ids.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import { subscribe } from '../../services/notifications/push.ts';
import { forUsers } from '../declaration/operation.ts';
import { named } from '../wire/naming.ts';
import { Timestamp } from '../wire/shapes.ts';
import { viewOf } from '../wire/rows.ts';

const area = 'Notifications';
const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const EXAMPLE_POINT =
  'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8';

const PushKey = named(
  'PushKey',
  z.strictObject({
    public_key: z.string().describe('`applicationServerKey` of a browser, base64url.'),
    version: z.string().describe('A browser that has subscribed with another one subscribes again.'),
  }),
  { public_key: EXAMPLE_POINT, version: 'k2b3c4d5e6f7' },
);

const NewPushSubscription = named(
  'NewPushSubscription',
  z.strictObject({
    endpoint: z.string().max(2_000).describe('https, of the public internet.'),
    keys: z
      .strictObject({
        p256dh: z.string().regex(/^[A-Za-z0-9_-]{87}=?$/, 'must be a point of P-256, base64url'),
        auth: z.string().regex(/^[A-Za-z0-9_-]{22}(==)?$/, 'must be 16 bytes, base64url'),
      })
      .describe('As `PushSubscription.toJSON()` of a browser names them.'),
  }),
  {
    endpoint: 'https://push.example.com/send/0f1e2d3c4b5a',
    keys: { p256dh: EXAMPLE_POINT, auth: 'BTBZMqHH6r4Tts7J_aSIgg' },
  },
);

const PushSubscription = named(
  'PushSubscription',
  z.strictObject({
    id: PushSubscriptionId,
    host: z.string().describe('Of the service that the browser named.'),
    key_version: z.string(),
    created_at: Timestamp,
    taken_at: Timestamp.nullable().describe('When it last took a message.'),
  }),
  {
    ...{ id: EXAMPLE_ID, host: 'push.example.com', key_version: 'k2b3c4d5e6f7' },
    ...{ created_at: '2026-03-01T09:30:00.000Z', taken_at: null },
  },
);
const PushSubscriptionList = named(
  'PushSubscriptionList',
  z.strictObject({ items: z.array(PushSubscription) }),
  { items: [] },
);
const view = viewOf(PushSubscription);

export const getPushKey = forUsers({
  id: 'getPushKey',
  area,
  title: 'Get the key of push messages',
  description: 'The public key with which a browser subscribes to push messages of the bank (RFC 8292).',
  method: 'GET',
  path: '/v1/notifications/push-key',
  effect: 'read',
  status: 200,
  answer: PushKey,
  refuses: ['push_not_offered'],
  beyond: true,
  handle({ refusal }, { push }) {
    if (push === undefined) throw refusal('push_not_offered');
    return Promise.resolve({ public_key: push.publicKey, version: push.keyVersion });
  },
});

export const subscribeToPush = forUsers({
  id: 'subscribeToPush',
  area,
  title: 'Subscribe a browser to push messages',
  description:
    'Lets a browser take push messages of the caller (RFC 8291). A browser subscribes once: whoever did last gets them. A person has at most twenty; the oldest makes room. Messages say on a locked screen what has happened, without amounts and names.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/notifications/push-subscriptions',
  effect: 'transaction',
  body: NewPushSubscription,
  status: 201,
  answer: PushSubscription,
  refuses: ['push_not_offered', 'conflict'],
  beyond: true,
  async handle(request, { cipher, push, config }) {
    const { endpoint, keys } = request.body;
    if (!isPushEndpoint(endpoint, config))
      throw faultIn('/endpoint', 'not_public', 'must be an https address of the public internet');
    if (!isPushKey(keys.p256dh)) throw faultIn('/keys/p256dh', 'not_a_point', 'must be a point of P-256');
    return view(await subscribe(request, { cipher, push }, { endpoint, keys }));
  },
});

export const listPushSubscriptions = forUsers({
  id: 'listPushSubscriptions',
  area,
  title: 'List browsers that take push messages',
  description: 'Those of the caller, the newest first. One whose service says that it is gone is forgotten.',
  method: 'GET',
  path: '/v1/notifications/push-subscriptions',
  effect: 'read',
  status: 200,
  answer: PushSubscriptionList,
  refuses: [],
  beyond: true,
  async handle({ caller, db }) {
    return { items: (await pushSubscriptionsOf.all(db, { userId: caller.id })).map(view) };
  },
});

export const unsubscribeFromPush = forUsers({
  id: 'unsubscribeFromPush',
  area,
  title: 'Unsubscribe a browser from push messages',
  description: 'From then on the browser gets no more of them.',
  method: 'DELETE',
  path: '/v1/notifications/push-subscriptions/{id}',
  effect: 'transaction',
  params: z.strictObject({ id: PushSubscriptionId }),
  status: 204,
  answer: null,
  refuses: [],
  beyond: true,
  async handle({ caller, params: { id }, db }) {
    found((await deletePushSubscription.run(db, { id, userId: caller.id })) > 0 ? id : undefined);
    return null;
  },
});

/** In the order of the documentation. */
export const operations = [getPushKey, subscribeToPush, listPushSubscriptions, unsubscribeFromPush];
