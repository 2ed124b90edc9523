/** What became of notifications, for administrators: why somebody was told, or was not. */
import type { NotificationId, UserId } from '../../../domain/ids.ts';
import { id, idArray, type RowOf } from '../../rows/columns.ts';
import { composedStatement, narrowedTo } from '../../rows/composed.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { Notification, NotificationDelivery, NotificationType } from '../../schema/notifications.ts';

const notification = columnsOf(
  Notification,
  ...(['id', 'typeCode', 'title', 'body', 'link', 'readAt', 'createdAt'] as const),
);
const told = { ...notification, ...columnsOf(NotificationType, 'category') };

/** All that somebody was told, or was to be told, newest first. */
export const pageOfTold = composedStatement({
  name: 'pageOfTold',
  gives: told,
  compose(
    {
      userId,
      before,
      most,
      type,
    }: {
      readonly userId: UserId;
      readonly before: NotificationId | null;
      readonly most: number;
      readonly type?: string | undefined;
    },
    bind,
  ) {
    const narrowed = narrowedTo(
      { 'n.user_id =': userId, 'n.id <': before ?? undefined, 'n.type_code =': type },
      bind,
    );
    return `
      select ${selectList(notification, 'n')}, t.category
        from notifications n join notification_types t on t.code = n.type_code
       where ${narrowed} order by n.id desc limit ${bind(most)}`;
  },
  examples: [{ userId: 'ffffffff-ffff-7fff-bfff-ffffffffffff' as UserId, before: null, most: 1, type: 'x' }],
});

/** The notification of an event for its person. */
export const notificationOf = statement({
  name: 'notificationOf',
  takes: { eventId: columnsOf(Notification, 'eventId').eventId },
  gives: told,
  sql: `
    select ${selectList(notification, 'n')}, t.category
      from notifications n join notification_types t on t.code = n.type_code where n.event_id = $eventId`,
});

const delivery = columnsOf(
  NotificationDelivery,
  ...(['id', 'notificationId', 'channel', 'status', 'reason', 'attempts', 'providerId'] as const),
  ...(['createdAt', 'finishedAt'] as const),
);
export type DeliveryRow = RowOf<typeof delivery>;

/** The deliveries of these notifications. */
export const deliveriesOf = statement({
  name: 'deliveriesOf',
  takes: { notifications: idArray<NotificationId>() },
  gives: delivery,
  sql: `
    select ${selectList(delivery, 'd')} from notification_deliveries d
     where d.notification_id = any($notifications) order by d.id`,
});

/** Whether somebody may be written to, and in which language. */
export const customerToTell = statement({
  name: 'customerToTell',
  takes: { id: id<UserId>() },
  gives: { locale: columnsOf(Notification, 'locale').locale },
  sql: 'select locale from users where id = $id',
});
