/** What a customer is told: the feed, and what they want to be told. */
import { z } from 'zod';
import {
  markAllRead,
  markRead,
  markSeen,
  pageOfFeed,
  type NotificationRow,
} from '../../db/queries/notifications/feed.ts';
import { NotificationId } from '../../domain/ids.ts';
import { CATEGORIES } from '../../domain/notifications/notifications.ts';
import { found } from '../../domain/refusals.ts';
import { changePreferences, preferencesOf } from '../../services/notifications/preferences.ts';
import { forUsers } from '../declaration/operation.ts';
import { keysetById } from '../wire/cursor.ts';
import { patchOf } from '../wire/rows.ts';
import { CountResponse } from '../wire/shapes.ts';
import * as wire from './schemas.ts';
import { notificationView, preferencesView } from './views.ts';

const byId = keysetById('notifications', NotificationId);
const area = 'Notifications';

export const listNotifications = forUsers({
  id: 'listNotifications',
  area,
  title: 'List in-app notifications',
  description:
    'The caller’s feed, newest first, how many of all are unread, and how many are new since the caller looked.',
  method: 'GET',
  path: '/v1/notifications',
  effect: 'read',
  query: byId.query({
    unread: z.stringbool().optional(),
    type: z.string().max(64).optional(),
    category: z.enum(CATEGORIES).optional(),
  }),
  status: 200,
  answer: wire.NotificationListResponse,
  refuses: [],
  async handle({ caller, query: { unread, type, category, ...page }, db }) {
    let counts = { unread_count: 0, unseen_count: 0 };
    const list = await byId.page<NotificationRow, ReturnType<typeof notificationView>>(
      page,
      async (before, most) => {
        const rows = await pageOfFeed.all(db, { userId: caller.id, before, most, unread, type, category });
        const [first] = rows;
        if (first !== undefined)
          counts = { unread_count: first.unreadCount, unseen_count: first.unseenCount };
        return rows.filter(isShown);
      },
      notificationView,
    );
    return { ...list, ...counts };
  },
});

/** The row of an empty page holds the counts only. */
function isShown<Row extends { readonly id: NotificationId | null }>(row: Row): row is Row & NotificationRow {
  return row.id !== null;
}

export const getNotificationPreferences = forUsers({
  id: 'getNotificationPreferences',
  area,
  title: 'Get notification channel preferences',
  description: 'Which types the caller is told of, on which channels; quiet hours, digest and language.',
  method: 'GET',
  path: '/v1/notifications/preferences',
  effect: 'read',
  status: 200,
  answer: wire.NotificationPreferencesResponse,
  refuses: [],
  async handle({ caller, db }, { config }) {
    return preferencesView(await preferencesOf(db, caller.id, config.BANK_TIME_ZONE));
  },
});

export const updateNotificationPreferences = forUsers({
  id: 'updateNotificationPreferences',
  area,
  title: 'Update notification preferences',
  description:
    'Changes what is given; types and channels that are left out stay. Of a mandatory type at least one channel that reaches the person stays on. Whoever switches a channel of a security type off is told so by mail. What waits for the end of quiet hours is looked at again at once.',
  method: 'PATCH',
  path: '/v1/notifications/preferences',
  effect: 'transaction',
  body: wire.NotificationPreferencesUpdate,
  status: 200,
  answer: wire.NotificationPreferencesResponse,
  refuses: ['notification_mandatory'],
  async handle(request, services) {
    const { types, quiet_hours: quiet = {}, digest = {}, locale } = request.body;
    const change = { ...patchOf({ types, locale }), quietHours: patchOf(quiet), digest: patchOf(digest) };
    return preferencesView(await changePreferences(request, services, change));
  },
});

export const readAllNotifications = forUsers({
  id: 'readAllNotifications',
  area,
  title: 'Mark all notifications as read',
  description:
    'Marks what the feed shows now, or what it had shown when it showed `before`, and answers how many were unread. What comes meanwhile stays unread.',
  method: 'POST',
  // a repeat finds none
  idempotency: 'none',
  path: '/v1/notifications/read-all',
  effect: 'transaction',
  query: z.strictObject({
    before: NotificationId.optional().describe(
      'The newest one that was seen: what was shown later stays unread, even if it had happened earlier.',
    ),
  }),
  status: 200,
  answer: CountResponse,
  refuses: [],
  handle: async ({ caller, query, db }) =>
    found(await markAllRead.first(db, { userId: caller.id, before: query.before ?? null })),
});

export const seeNotifications = forUsers({
  id: 'seeNotifications',
  area,
  title: 'Mark all notifications as seen',
  description:
    'Says that the caller has looked at the feed, so that `unseen_count` begins again at 0, and answers how many were new. They stay unread.',
  method: 'POST',
  // a repeat finds none
  idempotency: 'none',
  path: '/v1/notifications/seen',
  effect: 'transaction',
  status: 200,
  answer: CountResponse,
  refuses: [],
  beyond: true,
  handle: ({ caller, db }) => markSeen.one(db, { userId: caller.id }),
});

export const readNotification = forUsers({
  id: 'readNotification',
  area,
  title: 'Mark notification as read',
  description: 'Marks one notification. A repeat changes nothing.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/notifications/{id}/read',
  effect: 'transaction',
  params: z.strictObject({ id: NotificationId }),
  status: 200,
  answer: wire.Notification,
  refuses: [],
  async handle({ caller, params: { id }, db }) {
    return notificationView(found(await markRead.first(db, { id, userId: caller.id })));
  },
});

/** In the order of the documentation. */
export const operations = [
  listNotifications,
  getNotificationPreferences,
  updateNotificationPreferences,
  readAllNotifications,
  seeNotifications,
  readNotification,
];
