/** Browsers that take push messages. */
import type { PushSubscriptionId, UserId } from '../../../domain/ids.ts';
import { bytes, id, integer, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { PushSubscription } from '../../schema/notifications.ts';

const shown = columnsOf(PushSubscription, 'id', 'host', 'keyVersion', 'createdAt', 'takenAt');
export type PushSubscriptionRow = RowOf<typeof shown>;
const target = columnsOf(PushSubscription, 'id', 'keyVersion', 'sealedTarget');
const userId = id<UserId>();

/** Those of one person, the newest first. */
export const pushSubscriptionsOf = statement({
  name: 'pushSubscriptionsOf',
  takes: { userId },
  gives: shown,
  sql: `select ${selectList(shown, 's')} from push_subscriptions s where s.user_id = $userId order by s.created_at desc, s.id`,
});

/** Where messages of one person go. */
export const pushTargetsOf = statement({
  name: 'pushTargetsOf',
  takes: { userId },
  gives: target,
  sql: `select ${selectList(target, 's')} from push_subscriptions s where s.user_id = $userId order by s.id`,
});

/** Whether the browser with this address has subscribed before, for whomever. Its row stays locked. */
export const lockPushEndpoint = statement({
  name: 'lockPushEndpoint',
  takes: { endpointHash: bytes() },
  gives: { id: id<PushSubscriptionId>() },
  sql: 'select id from push_subscriptions where endpoint_hash = $endpointHash for update',
});

const written = columnsOf(PushSubscription, 'id', 'userId', 'sealedTarget', 'keyVersion');

/** Writes nothing if the same browser subscribes at the same moment. */
export const insertPushSubscription = statement({
  name: 'insertPushSubscription',
  takes: { ...written, endpointHash: bytes(), host: shown.host },
  gives: shown,
  sql: `
    insert into push_subscriptions as s (id, user_id, endpoint_hash, host, sealed_target, key_version, created_at)
    values ($id, $userId, $endpointHash, $host, $sealedTarget, $keyVersion, bank_now())
    on conflict (endpoint_hash) do nothing returning ${selectList(shown, 's')}`,
});

/** From now on it is this person's. */
export const renewPushSubscription = statement({
  name: 'renewPushSubscription',
  takes: written,
  gives: shown,
  sql: `
    update push_subscriptions s
       set user_id = $userId, sealed_target = $sealedTarget, key_version = $keyVersion, refusals = 0, created_at = bank_now()
     where s.id = $id returning ${selectList(shown, 's')}`,
});

/** Leaves a person their newest ones. */
export const keepNewestPush = statement({
  name: 'keepNewestPush',
  takes: { userId, most: integer() },
  gives: {},
  sql: `
    delete from push_subscriptions where user_id = $userId and id not in (
      select id from push_subscriptions where user_id = $userId order by created_at desc, id limit $most::integer)`,
});

export const deletePushSubscription = statement({
  name: 'deletePushSubscription',
  takes: { id: shown.id, userId },
  gives: {},
  sql: 'delete from push_subscriptions where id = $id and user_id = $userId',
});

/** It takes messages. */
export const notePushTaken = statement({
  name: 'notePushTaken',
  takes: { id: shown.id },
  gives: {},
  sql: 'update push_subscriptions set refusals = 0, taken_at = bank_now() where id = $id',
});

/** It has refused one; it is gone with so many in a row. */
export const notePushRefused = statement({
  name: 'notePushRefused',
  takes: { id: shown.id, most: integer() },
  gives: {},
  sql: `
    with refused as (update push_subscriptions set refusals = refusals + 1 where id = $id and refusals + 1 < $most::integer returning id)
    delete from push_subscriptions s where s.id = $id and not exists (select from refused)`,
});
