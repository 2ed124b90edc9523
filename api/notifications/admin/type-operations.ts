/** What people can be told, as the back office decides it. */
import { z } from 'zod';
import {
  notificationType,
  notificationTypes,
  type NotificationTypeRow,
} from '../../../db/queries/notifications/types.ts';
import { AnnouncementId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import { announcementFourEyes } from '../../../services/notifications/announcements.ts';
import { sendByType } from '../../../services/notifications/admin-messages.ts';
import { changeNotificationType, createNotificationType } from '../../../services/notifications/types.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { keyset } from '../../wire/cursor.ts';
import { patchOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';
import { typeView } from './views.ts';

const area = 'Admin notifications';
const byCode = keyset('notification-types', z.string(), (type: NotificationTypeRow) => type.code);
const params = z.strictObject({ code: z.string().max(64) });
const THREE_DAYS = 3 * 86_400;

export const listNotificationTypes = forAdmins({
  id: 'listNotificationTypes',
  area,
  title: 'List notification types',
  description: 'All types, including those that are switched off.',
  method: 'GET',
  path: '/v1/admin/notification-types',
  effect: 'read',
  permission: 'notifications:read',
  query: byCode.query({}),
  status: 200,
  answer: wire.NotificationTypeList,
  refuses: [],
  handle: ({ db, query }) =>
    byCode.page(query, (after, most) => notificationTypes.all(db, { after, most }), typeView),
});

export const createNotificationTypeOperation = forAdmins({
  id: 'createNotificationType',
  area,
  title: 'Create notification type',
  description:
    'Adds a type, which reaches everybody by its default channels. It needs a live template for each channel before it says anything there.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/notification-types',
  effect: 'transaction',
  permission: 'notifications:write',
  body: wire.NotificationType,
  status: 201,
  answer: wire.NotificationType,
  refuses: ['conflict', 'notification_mandatory'],
  async handle(request) {
    const { ttl, created_at: _made, updated_at: _changed, ...given } = request.body;
    const defaults = {
      mandatory: false,
      digest: 'none',
      collapseKey: null,
      variables: [],
      enabled: true,
    } as const;
    const type = { ...defaults, ...patchOf(given), ttlSeconds: ttl ?? THREE_DAYS };
    return typeView(await createNotificationType(request, type));
  },
});

export const getNotificationType = forAdmins({
  id: 'getNotificationType',
  area,
  title: 'Get notification type',
  description: 'One type, switched on or off.',
  method: 'GET',
  path: '/v1/admin/notification-types/{code}',
  effect: 'read',
  permission: 'notifications:read',
  params,
  status: 200,
  answer: wire.NotificationType,
  refuses: [],
  beyond: true,
  async handle({ params: { code }, db }) {
    return typeView(found(await notificationType.first(db, { code })));
  },
});

export const updateNotificationType = forAdmins({
  id: 'updateNotificationType',
  area,
  title: 'Update notification type',
  description:
    'Changes a type; fields that are left out stay, lists are replaced. A mandatory type cannot be switched off nor lose all of its channels; of a code only the name changes. A secret is told by mail and text message only, and a variable that a live template says stays.',
  method: 'PATCH',
  path: '/v1/admin/notification-types/{code}',
  effect: 'transaction',
  permission: 'notifications:write',
  params,
  body: wire.NotificationTypeUpdate,
  status: 200,
  answer: wire.NotificationType,
  refuses: ['conflict', 'notification_mandatory'],
  async handle(request) {
    const { ttl, ...given } = request.body;
    const change = { ...patchOf(given), ...(ttl === undefined ? {} : { ttlSeconds: ttl }) };
    return typeView(await changeNotificationType(request, request.params.code, change));
  },
});

export const sendNotificationType = forAdmins({
  id: 'sendNotificationType',
  area,
  title: 'Send by notification type',
  description:
    'Tells people what a type says with these values: up to a hundred at once. More, or all active customers, are an announcement, which waits for a second administrator. What concerns a login cannot be said by hand, links lead to the bank only, and nobody writes to themselves.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/notification-types/{code}/send',
  effect: 'transaction',
  permission: 'notifications:send',
  fourEyes: announcementFourEyes,
  throttle: { points: 30, seconds: 3_600, per: 'user' },
  params,
  body: wire.SendByTypeRequest,
  status: 201,
  answer: wire.SentByType,
  refuses: ['same_person', 'notification_type_disabled', 'notification_mandatory'],
  beyond: true,
  async handle(request, services) {
    const { user_ids: userIds = null, variables } = request.body;
    const which = { id: AnnouncementId.parse(request.newId), code: request.params.code };
    const sent = await sendByType(request, services, which, { userIds, variables });
    return { count: sent.count, announcement_id: sent.announcementId };
  },
});

/** In the order of the documentation. */
export const operations = [
  listNotificationTypes,
  createNotificationTypeOperation,
  getNotificationType,
  updateNotificationType,
  sendNotificationType,
];
