/** Notifications as the wire shows them. */
import type { z } from 'zod';
import type { DeliveryRow } from '../../db/queries/notifications/evidence.ts';
import type { NotificationRow } from '../../db/queries/notifications/feed.ts';
import type { Preferences } from '../../services/notifications/preferences.ts';
import { viewOf } from '../wire/rows.ts';
import * as wire from './schemas.ts';

type NotificationView = z.output<typeof wire.Notification>;

/** As whoever is told sees it. */
export function notificationView({
  id,
  typeCode: type,
  category,
  title,
  body,
  link,
  readAt,
  createdAt,
}: NotificationRow): NotificationView {
  return { id, type, category, title, body, link, read_at: readAt, created_at: createdAt };
}

/**
 * As an administrator sees it, with what became of it on each channel. What the bank told somebody is between the two; an administrator
 * reads only what one of them wrote.
 */
export function evidenceView(row: NotificationRow, deliveries: readonly DeliveryRow[]): NotificationView {
  return {
    ...notificationView(row),
    ...(row.typeCode === 'admin_message' ? {} : { title: null, body: null }),
    deliveries: deliveries.map(
      ({ id, channel, status, reason, attempts, providerId, finishedAt, createdAt }) => ({
        ...{ id, channel, status, reason, attempts },
        provider_id: providerId,
        at: finishedAt ?? createdAt,
      }),
    ),
  };
}

const preferences = viewOf(wire.NotificationPreferencesResponse);

export function preferencesView({ types, quietHours, digest, locale }: Preferences) {
  return preferences({
    types: types.map(({ code, name, category, channels, allowed, mandatory, editable }) => ({
      ...{ code, name, category, channels, mandatory, editable },
      allowed: [...allowed],
    })),
    quietHours: {
      start: quietHours.start,
      end: quietHours.end,
      time_zone: quietHours.timeZone,
      enabled: quietHours.enabled,
    },
    digest,
    locale,
  });
}
