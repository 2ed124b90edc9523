/** Types of notifications, as administrators see them. */
import type { RowOf } from '../../rows/columns.ts';
import { bigCount, text } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { NotificationType } from '../../schema/notifications.ts';

const changeable = columnsOf(
  NotificationType,
  ...(['name', 'category', 'mandatory', 'channelsAllowed', 'channelsDefault', 'digest'] as const),
  ...(['collapseKey', 'ttlSeconds', 'variables', 'enabled'] as const),
);
const written = { ...columnsOf(NotificationType, 'code'), ...changeable };
const type = { ...written, ...columnsOf(NotificationType, 'lane', 'createdAt', 'updatedAt') };
export type NotificationTypeRow = RowOf<typeof type>;
export type NotificationTypeSettings = RowOf<typeof changeable>;

const SELECT = `select ${selectList(type, 't')} from notification_types t`;

/** In the order of their codes, from behind `after`. */
export const notificationTypes = statement({
  name: 'notificationTypes',
  takes: { after: text().nullable(), most: bigCount() },
  gives: type,
  sql: `${SELECT} where $after::text is null or t.code > $after::text order by t.code limit $most`,
});

export const notificationType = statement({
  name: 'notificationType',
  takes: columnsOf(NotificationType, 'code'),
  gives: type,
  sql: `${SELECT} where t.code = $code`,
});

/** As `notificationType`, and nobody else changes it or its templates until the transaction ends. */
export const lockType = statement({
  name: 'lockType',
  takes: columnsOf(NotificationType, 'code'),
  gives: type,
  sql: `${SELECT} where t.code = $code for update`,
});

/** Adds a type; writes nothing if the code is taken. */
export const insertType = statement({
  name: 'insertType',
  takes: written,
  gives: {},
  sql: `
    insert into notification_types
      (code, name, category, mandatory, channels_allowed, channels_default, digest, collapse_key, ttl_seconds, variables, enabled, lane,
       created_at, updated_at)
    values ($code, $name, $category, $mandatory, $channelsAllowed, $channelsDefault, $digest, $collapseKey, $ttlSeconds,
      $variables, $enabled, case $category when 'product' then 'bulk' else 'common' end, bank_now(), bank_now())
    on conflict (code) do nothing`,
});

export const updateType = statement({
  name: 'updateType',
  takes: written,
  gives: {},
  sql: `
    update notification_types
       set name = $name, category = $category, mandatory = $mandatory, channels_allowed = $channelsAllowed,
           channels_default = $channelsDefault, digest = $digest, collapse_key = $collapseKey, ttl_seconds = $ttlSeconds,
           variables = $variables, enabled = $enabled, updated_at = bank_now()
     where code = $code`,
});
