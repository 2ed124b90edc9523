/** Deliveries on their way: claimed in rounds, begun, ended. The word of a worker whose claim is not the last one counts for nothing. */
import {
  bigCount,
  boolean,
  id,
  idArray,
  integer,
  moment,
  oneOf,
  ownJson,
  text,
  textArray,
} from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, nullable, selectList } from '../../rows/table-columns.ts';
import type { RowOf } from '../../rows/columns.ts';
import type { DeliveryId, NotificationId } from '../../../domain/ids.ts';
import type { DeliveryStatus } from '../../../domain/notifications/notifications.ts';
import { User } from '../../schema/identity.ts';
import {
  Event,
  Notification,
  NotificationDelivery,
  NotificationSettings,
  NotificationType,
} from '../../schema/notifications.ts';

const SETTINGS = ['quietStart', 'quietEnd', 'timeZone', 'digestHour', 'digestWeekday'] as const;
const delivery = {
  ...columnsOf(
    NotificationDelivery,
    'id',
    'notificationId',
    'channel',
    'lane',
    'addressed',
    'attempts',
    'expiresAt',
  ),
  ...columnsOf(NotificationDelivery, 'digestAt'),
  claim: id(),
};
const notice = columnsOf(Notification, 'eventId', 'userId', 'typeCode', 'createdAt');
const type = columnsOf(
  NotificationType,
  'category',
  'mandatory',
  'enabled',
  'variables',
  'collapseKey',
  'digest',
);
const person = nullable(columnsOf(User, 'email', 'phone', 'status', 'firstName', 'lastName'));
const settings = nullable(columnsOf(NotificationSettings, ...SETTINGS));
const claimed = {
  ...delivery,
  ...notice,
  ...type,
  ...columnsOf(Event, 'sealedContent', 'subject', 'state'),
  ...person,
  ...settings,
  typeName: text(),
  locale: text(),
  isLate: boolean(),
  isUnwanted: boolean(),
  isStopped: boolean(),
};
/** A delivery with all that decides on it, as it is at the time of sending. */
export type ClaimedDelivery = RowOf<typeof claimed>;

/** Deliveries with all that decides on them; `from` names the rows `d`. */
const describing = (from: string): string => `
  select ${selectList(delivery, 'd')}, ${selectList(notice, 'n')}, ${selectList(type, 't')}, e.sealed_content, e.subject, e.state,
         u.email, case when u.phone_verified_at is not null then u.phone end as phone, u.status, u.first_name, u.last_name,
         case when s.quiet_enabled then s.quiet_start end as quiet_start,
         case when s.quiet_enabled then s.quiet_end end as quiet_end,
         s.time_zone, s.digest_hour, s.digest_weekday, coalesce(u.locale, n.locale) as locale,
         t.name as type_name,
         d.expires_at <= bank_now() as is_late,
         exists (select from notification_choices p where p.user_id = n.user_id and p.type_code = n.type_code
           and p.channel = d.channel and not p.enabled) as is_unwanted,
         exists (select from announcements a where a.id = e.announcement_id and a.status = 'stopped') as is_stopped
    from ${from} d join notifications n on n.id = d.notification_id
      join notification_types t on t.code = n.type_code join events e on e.id = n.event_id
      left join users u on u.id = n.user_id
      left join notification_settings s on s.user_id = n.user_id`;

/** Claims deliveries that are due, the oldest first, and of those that have waited for the same moment the newest. Whoever does not come back within the lease has lost them. */
export const claimDeliveries = statement({
  name: 'claimDeliveries',
  takes: { lane: text(), channels: textArray(), most: bigCount(), leaseSeconds: integer() },
  gives: claimed,
  sql: `
    with due as materialized (
      select id from notification_deliveries
       where status = 'queued' and begun_at is null and lane = $lane and channel = any($channels)
         and due_at <= (select bank_now())
         and (claimed_until is null or claimed_until <= machine_now())
       order by due_at, id desc limit $most for update skip locked),
    taken as (
      update notification_deliveries d
         set claim = uuidv7(), attempts = least(d.attempts + 1, 32767),
             claimed_until = machine_now() + make_interval(secs => $leaseSeconds::integer)
        from due where d.id = due.id returning d.*)
    ${describing('taken')} order by d.due_at, d.id desc`,
});

/**
 * Takes all mails of a person that wait for a digest which is due, for whoever has claimed one of them, in the order of their events. None if
 * that claim is lost.
 */
export const gatherDigest = statement({
  name: 'gatherDigest',
  takes: { id: delivery.id, claim: delivery.claim, leaseSeconds: integer() },
  gives: { id: delivery.id },
  sql: 'select id from digest_gather($id, $claim, $leaseSeconds::integer) id',
});

/** Deliveries that somebody has claimed together. */
export const claimedTogether = statement({
  name: 'claimedTogether',
  takes: { ids: idArray<DeliveryId>(), claim: delivery.claim },
  gives: claimed,
  sql: `
    ${describing('notification_deliveries')}
     where d.id = any($ids) and d.claim = $claim and d.status = 'queued' order by n.id`,
});

const fence = { id: delivery.id, claim: delivery.claim };

/** Fields of JSON, as PostgreSQL names them. */
interface Fenced {
  readonly id: DeliveryId;
  readonly claim: string;
}
const many = <Item extends Fenced>() => ({ items: ownJson<readonly Item[]>() });
const done = { id: id<DeliveryId>(), done: boolean() };

/**
 * From now on the recipients may have them. Not if the claim is lost, or if mail does not reach the address; whoever asks for a code is
 * written to all the same.
 */
export const beginDeliveries = statement({
  name: 'beginDeliveries',
  takes: { ...many<Fenced & { readonly address: string | null }>(), leaseSeconds: integer() },
  gives: done,
  sql: `
    with asked as materialized (select * from jsonb_to_recordset($items::jsonb) a(id uuid, claim uuid, address text)),
    begun as (
      update notification_deliveries d
         set begun_at = bank_now(), claimed_until = machine_now() + make_interval(secs => $leaseSeconds::integer),
             address_hash = case when d.channel = 'email' then address_hash(a.address) end
        from asked a
       where d.id = a.id and d.claim = a.claim and d.status = 'queued' and d.begun_at is null
         and (d.channel <> 'email' or d.lane = 'codes' or not exists (select from suppressed_addresses s
           where s.address_hash = address_hash(a.address) and s.lifted_at is null))
      returning d.id)
    select a.id, exists (select from begun b where b.id = a.id) as done from asked a`,
});

/** The recipient does not have it: it is tried again after so many seconds. False if the claim is lost. */
export const putOffDelivery = statement({
  name: 'putOffDelivery',
  takes: { ...fence, seconds: integer(), reason: text() },
  gives: { waits: boolean() },
  sql: 'select delivery_put_off($id, $claim, $seconds, $reason) as waits',
});

/** It waits for a moment, with a digest if it is said so, and may be told until it expires. */
export const holdDelivery = statement({
  name: 'holdDelivery',
  takes: { ...fence, until: moment(), expiresAt: moment(), reason: text(), isDigest: boolean() },
  gives: {},
  sql: `
    update notification_deliveries
       set claim = null, claimed_until = null, reason = $reason, due_at = $until::timestamptz,
           expires_at = $expiresAt, digest_at = case when $isDigest::boolean then $until::timestamptz end
     where id = $id and claim = $claim and status = 'queued' and begun_at is null`,
});

/** How it has ended. False if the claim is lost, or if it has ended already. */
export const endDelivery = statement({
  name: 'endDelivery',
  takes: {
    ...fence,
    ...columnsOf(NotificationDelivery, 'status', 'providerId'),
    reason: text().nullable(),
  },
  gives: { ended: boolean() },
  sql: 'select delivery_end($id, $claim, $status, $reason, $providerId) as ended',
});

/** As `endDelivery`, for many; of whose claim is lost it is false. In the order of their notifications, in which others lock them too. */
export const endDeliveries = statement({
  name: 'endDeliveries',
  takes: many<
    Fenced & {
      readonly notification_id: NotificationId;
      readonly status: DeliveryStatus;
      readonly reason: string | null;
      readonly provider_id: string | null;
    }
  >(),
  gives: done,
  sql: `
    select a.id, delivery_end(a.id, a.claim, a.status, a.reason, a.provider_id) as done
      from (select * from jsonb_to_recordset($items::jsonb)
        x(id uuid, claim uuid, notification_id uuid, status text, reason text, provider_id text) order by x.notification_id) a`,
});

/** Shows them in the feed. */
export const showDeliveries = statement({
  name: 'showDeliveries',
  takes: many<
    Fenced & {
      readonly notification_id: NotificationId;
      readonly title: string;
      readonly body: string;
      readonly link: string | null;
    }
  >(),
  gives: done,
  sql: `
    select a.id, delivery_show(a.id, a.claim, a.title, a.body, a.link) as done
      from (select * from jsonb_to_recordset($items::jsonb)
        x(id uuid, claim uuid, notification_id uuid, title text, body text, link text) order by x.notification_id) a`,
});

/** Whether somebody has paid within the last seconds. Ids of transfers begin with the time at which they were made. */
export const paymentsUnderWay = statement({
  name: 'paymentsUnderWay',
  gives: { busy: boolean() },
  sql: `select exists (select from transfers where id > (select uuidv7(interval '-2 seconds'))) as busy`,
});

/** Ends those whose worker has died after it had begun. */
export const loseDeliveries = statement({
  name: 'loseDeliveries',
  takes: { lanes: textArray() },
  gives: { count: bigCount() },
  sql: 'select deliveries_lost($lanes) as count',
});

/** Counts a text message, or says why it must not be sent. */
export const takeSms = statement({
  name: 'takeSms',
  takes: {
    recipient: text(),
    parts: integer(),
    isCode: boolean(),
    mostOfPerson: integer(),
    mostOfBank: integer(),
  },
  gives: { refusal: oneOf(['sms_cap_of_person', 'sms_cap_of_bank']).nullable() },
  sql: 'select sms_take($recipient, $parts, $isCode, $mostOfPerson, $mostOfBank) as refusal',
});
