/** What administrators write to customers, and what became of it. */
import { z } from 'zod';
import { customerToTell, deliveriesOf, pageOfTold } from '../../../db/queries/notifications/evidence.ts';
import { NotificationId, UserId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import { writeToCustomer } from '../../../services/notifications/admin-messages.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { keysetById } from '../../wire/cursor.ts';
import * as notification from '../schemas.ts';
import { evidenceView } from '../views.ts';
import * as wire from './schemas.ts';
import { listOf } from '../../wire/shapes.ts';

const area = 'Admin notifications';
const byId = keysetById('told', NotificationId);
const params = z.strictObject({ user_id: UserId });

export const sendAdminMessage = forAdmins({
  id: 'sendAdminMessage',
  area,
  title: 'Send admin message to user',
  description:
    'Writes to a customer, in the app and on the channels that are given. Nobody writes to themselves; ten messages a day to one person.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/users/{user_id}/messages',
  effect: 'transaction',
  permission: 'notifications:send',
  throttle: { points: 120, seconds: 3_600, per: 'user' },
  params,
  body: wire.AdminMessageRequest,
  status: 201,
  answer: notification.Notification,
  refuses: ['same_person', 'too_many_requests', 'notification_type_disabled'],
  async handle(request, services) {
    const { params, body, newId, db } = request;
    const sent = await writeToCustomer(request, services, newId, params.user_id, body);
    return evidenceView(sent, await deliveriesOf.all(db, { notifications: [sent.id] }));
  },
});

export const listToldNotifications = forAdmins({
  id: 'listToldNotifications',
  area,
  title: 'List notifications of user',
  description:
    'All that a person was told or was to be told, newest first: each delivery with its status and, if it was not sent, why.',
  method: 'GET',
  path: '/v1/admin/users/{user_id}/notifications',
  effect: 'read',
  permission: 'notifications:read',
  params,
  query: byId.query({ type: z.string().max(64).optional() }),
  status: 200,
  answer: listOf('ToldNotificationList', notification.Notification),
  refuses: [],
  beyond: true,
  async handle({ params: { user_id: userId }, query: { type, ...page }, db }) {
    found(await customerToTell.first(db, { id: userId }));
    const list = await byId.page(
      page,
      (before, most) => pageOfTold.all(db, { userId, before, most, type }),
      (row) => row,
    );
    const deliveries = await deliveriesOf.all(db, { notifications: list.items.map(({ id }) => id) });
    const byNotification = Map.groupBy(deliveries, ({ notificationId }) => notificationId);
    return { ...list, items: list.items.map((row) => evidenceView(row, byNotification.get(row.id) ?? [])) };
  },
});

/** In the order of the documentation. */
export const operations = [sendAdminMessage, listToldNotifications];
