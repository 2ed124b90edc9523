/** The feed and the preferences of a customer. */
import { z } from 'zod';
import { DeliveryId, NotificationId } from '../../domain/ids.ts';
import { CATEGORIES, CHANNELS, DELIVERY_STATUSES } from '../../domain/notifications/notifications.ts';
import { isTimeZone } from '../../domain/time/moments.ts';
import { Locale } from '../identity/users/schemas.ts';
import { named } from '../wire/naming.ts';
import { Timestamp } from '../wire/shapes.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const EXAMPLE_TIME = '2026-03-01T09:30:00.000Z';

const Delivery = z.strictObject({
  id: DeliveryId,
  channel: z.enum(CHANNELS),
  status: z
    .enum(DELIVERY_STATUSES)
    .describe('`unknown`: the provider may have taken it and cannot be asked, so it is not sent again.'),
  reason: z.string().nullable().describe('Why it was not sent, or why it waits.'),
  attempts: z.int().min(0),
  provider_id: z.string().nullable().describe('By what the provider knows it; of a mail, its Message-ID.'),
  at: Timestamp.describe('When it ended, or when it was queued.'),
});

export const Notification = named(
  'Notification',
  z.strictObject({
    id: NotificationId,
    type: z.string(),
    category: z.enum(CATEGORIES),
    title: z.string().nullable().describe('Null in the back office if the feed does not show it.'),
    body: z.string().nullable(),
    link: z.string().nullish(),
    read_at: Timestamp.nullable(),
    created_at: Timestamp,
    deliveries: z.array(Delivery).optional().describe('Shown to administrators.'),
  }),
  {
    id: EXAMPLE_ID,
    type: 'ticket_reply',
    category: 'service',
    title: 'Support has answered ticket T-100001',
    body: 'Support has answered your ticket T-100001. Log in to read it.',
    link: null,
    read_at: null,
    created_at: EXAMPLE_TIME,
  },
);

const ITEM = {
  ...{ id: EXAMPLE_ID, type: 'ticket_reply', category: 'service' as const },
  ...{ title: 'Support has answered ticket T-100001', body: 'Log in to read it.', link: null },
  ...{ read_at: null, created_at: EXAMPLE_TIME },
};

export const NotificationListResponse = named(
  'NotificationListResponse',
  z.strictObject({
    items: z.array(Notification),
    next_cursor: z.string().nullable().describe('Pass it as `cursor` to read on; null at the end.'),
    unread_count: z.int().min(0).describe('Of the whole feed, at the moment of the page.'),
    unseen_count: z
      .int()
      .min(0)
      .describe('How many came since the caller marked all as seen, without those read since: for a badge.'),
  }),
  { items: [ITEM], next_cursor: null, unread_count: 1, unseen_count: 1 },
);

export const NotificationNews = named(
  'NotificationNews',
  z.strictObject({
    items: z.array(Notification).describe('What the feed has shown since, the oldest first.'),
    unread_count: z.int().min(0),
    unseen_count: z.int().min(0),
    last_event_id: z.string().describe('The place in the feed at which the next look goes on.'),
  }),
  { items: [ITEM], unread_count: 1, unseen_count: 1, last_event_id: '7' },
);

const Channels = z.strictObject({
  in_app: z.boolean(),
  email: z.boolean(),
  sms: z.boolean(),
  push: z.boolean(),
});
const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, such as "22:00"');
const Zone = z
  .string()
  .max(60)
  .regex(/^(UTC|[A-Z][A-Za-z_-]+(\/[A-Z][A-Za-z0-9_+-]+)+)$/, 'must be a time zone, such as "Europe/Berlin"')
  .refine(isTimeZone, 'must be a time zone, such as "Europe/Berlin"')
  .describe('IANA.');

export const quietHours = {
  start: TimeOfDay,
  end: TimeOfDay.describe('May lie on the next day.'),
  time_zone: Zone,
  enabled: z.boolean(),
};
export const digest = {
  hour: z.int().min(0).max(23),
  weekday: z.int().min(1).max(7).nullable().describe('1 is Monday; null is every day.'),
};
const quietExample = { start: '22:00', end: '07:00', time_zone: 'Europe/Berlin', enabled: true };

export const NotificationPreferencesResponse = named(
  'NotificationPreferencesResponse',
  z.strictObject({
    types: z.array(
      z.strictObject({
        code: z.string(),
        name: z.string(),
        category: z.enum(CATEGORIES),
        channels: Channels,
        allowed: z.array(z.enum(CHANNELS)).describe('Channels that can be switched on.'),
        mandatory: z.boolean().describe('At least one channel beside push messages stays on.'),
        editable: z
          .boolean()
          .describe(
            'False for what concerns an address and is told there: codes, and what its owner learns of it.',
          ),
      }),
    ),
    quiet_hours: z
      .strictObject(quietHours)
      .describe('What is not mandatory waits for their end; the feed never waits.'),
    digest: z.strictObject(digest).describe('When digests come, in the same time zone.'),
    locale: z.string().describe('BCP 47; that of the profile.'),
  }),
  {
    types: [
      {
        ...{ code: 'ticket_reply', name: 'Support has answered', category: 'service' },
        channels: { in_app: true, email: true, sms: false, push: false },
        ...{ allowed: ['in_app', 'email', 'sms'], mandatory: false, editable: true },
      },
    ],
    quiet_hours: quietExample,
    digest: { hour: 8, weekday: null },
    locale: 'en',
  },
);

export const NotificationPreferencesUpdate = named(
  'NotificationPreferencesUpdate',
  z
    .strictObject({
      types: z
        .array(z.strictObject({ code: z.string().max(64), channels: Channels.partial() }))
        .max(200)
        .describe('Types that are left out stay as they are, and so do their channels.'),
      quiet_hours: z.strictObject(quietHours).partial(),
      digest: z.strictObject(digest).partial(),
      locale: Locale,
    })
    .partial(),
  { types: [{ code: 'ticket_reply', channels: { email: false } }], quiet_hours: quietExample },
);
