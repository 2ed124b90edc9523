/** What happens, who is told of it, and how each delivery went. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type {
  AnnouncementId,
  DeliveryId,
  EventId,
  MessageId,
  NotificationId,
  NotificationTemplateId,
  PushSubscriptionId,
  SuppressedAddressId,
  UserId,
} from '../../domain/ids.ts';
import { MESSAGE_CHANNELS, type MessageTemplate } from '../../domain/notifications/messages.ts';
import {
  ANNOUNCEMENT_STATUSES,
  CATEGORIES,
  CHANNELS,
  DELIVERY_STATUSES,
  DIGESTS,
  LANES,
  TEMPLATE_STATUSES,
  type Channel,
  type Variable,
} from '../../domain/notifications/notifications.ts';

const channels = () => p.array().columnType('text[]').$type<readonly Channel[]>();

/** What people can be told. `variables` are what its templates may say. */
export const NotificationType = defineEntity({
  name: 'NotificationType',
  tableName: 'notification_types',
  properties: {
    code: p.text().primary(),
    name: p.text(),
    category: p.enum(CATEGORIES),
    mandatory: p.boolean().default(false),
    channelsAllowed: channels(),
    channelsDefault: channels(),
    digest: p.enum(DIGESTS).default('none'),
    collapseKey: p.text().strictNullable(),
    ttlSeconds: p.integer(),
    lane: p.enum(LANES).default('common'),
    variables: p.json().$type<readonly Variable[]>().defaultRaw(`'[]'`),
    enabled: p.boolean().default(true),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});
export type NotificationType = InferEntity<typeof NotificationType>;

/** The text of a type on a channel in a language. A text message has no subject. */
export const NotificationTemplate = defineEntity({
  name: 'NotificationTemplate',
  tableName: 'notification_templates',
  properties: {
    id: p.uuid().$type<NotificationTemplateId>().primary().defaultRaw('uuidv7()'),
    typeCode: p.text(),
    channel: p.enum(CHANNELS),
    locale: p.text(),
    subject: p.text().strictNullable(),
    body: p.text(),
    version: p.integer().default(1),
    status: p.enum(TEMPLATE_STATUSES).default('draft'),
    updatedBy: p.uuid().$type<UserId>().strictNullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});
export type NotificationTemplate = InferEntity<typeof NotificationTemplate>;

/** What a template has said before. A trigger writes it. */
export const NotificationTemplateVersion = defineEntity({
  name: 'NotificationTemplateVersion',
  tableName: 'notification_template_versions',
  properties: {
    templateId: p.uuid().$type<NotificationTemplateId>().primary(),
    version: p.integer().primary(),
    subject: p.text().strictNullable(),
    body: p.text(),
    status: p.enum(TEMPLATE_STATUSES),
    createdBy: p.uuid().$type<UserId>().strictNullable(),
    createdAt: p.datetime(3),
  },
});
export type NotificationTemplateVersion = InferEntity<typeof NotificationTemplateVersion>;

/**
 * What has happened. `sealedContent` holds addresses and values until nothing of it is left to send; or `subject` is the row that says them.
 * `waiting`: nobody was told yet. Only functions write it.
 */
export const Event = defineEntity({
  name: 'Event',
  tableName: 'events',
  properties: {
    id: p.uuid().$type<EventId>().primary().defaultRaw('uuidv7()'),
    type: p.text(),
    userId: p.uuid().$type<UserId>().strictNullable(),
    sealedContent: p.blob().$type<Buffer>().strictNullable(),
    subject: p.uuid().strictNullable(),
    state: p.text().strictNullable(),
    waiting: p.boolean().default(false),
    createdAt: p.datetime(3),
    announcementId: p.uuid().$type<AnnouncementId>().strictNullable(),
  },
});
export type Event = InferEntity<typeof Event>;

/** One person is told of one event. Title, body and `position` are those of the feed, once it shows them: what was shown later has a higher one. */
export const Notification = defineEntity({
  name: 'Notification',
  tableName: 'notifications',
  properties: {
    id: p.uuid().$type<NotificationId>().primary().defaultRaw('uuidv7()'),
    eventId: p.uuid().$type<EventId>(),
    userId: p.uuid().$type<UserId>().strictNullable(),
    typeCode: p.text(),
    locale: p.text(),
    title: p.text().strictNullable(),
    body: p.text().strictNullable(),
    link: p.text().strictNullable(),
    shownAt: p.datetime(3).strictNullable(),
    readAt: p.datetime(3).strictNullable(),
    position: p.bigint('number').strictNullable(),
    createdAt: p.datetime(3),
  },
});
export type Notification = InferEntity<typeof Notification>;

/** How many notifications of the feed somebody has not read, and how many came since they looked. Triggers and functions keep it. */
export const NotificationCount = defineEntity({
  name: 'NotificationCount',
  tableName: 'notification_counts',
  properties: {
    userId: p.uuid().$type<UserId>().primary(),
    unread: p.bigint('number').default(0),
    shown: p.bigint('number').default(0),
    seen: p.bigint('number').default(0),
    unseen: p.bigint('number').default(0),
  },
});
export type NotificationCount = InferEntity<typeof NotificationCount>;

/** A notification on one channel. `claim` is that of the worker whose word counts; once it has begun, the recipient may have it. `digestAt`: it waits for that digest, or goes with it. */
export const NotificationDelivery = defineEntity({
  name: 'NotificationDelivery',
  tableName: 'notification_deliveries',
  properties: {
    id: p.uuid().$type<DeliveryId>().primary().defaultRaw('uuidv7()'),
    notificationId: p.uuid().$type<NotificationId>(),
    channel: p.enum(CHANNELS),
    lane: p.enum(LANES),
    addressed: p.boolean(),
    status: p.enum(DELIVERY_STATUSES).default('queued'),
    reason: p.text().strictNullable(),
    attempts: p.smallint().default(0),
    dueAt: p.datetime(3),
    expiresAt: p.datetime(3),
    claim: p.uuid().strictNullable(),
    claimedUntil: p.datetime(3).strictNullable(),
    begunAt: p.datetime(3).strictNullable(),
    digestAt: p.datetime(3).strictNullable(),
    providerId: p.text().strictNullable(),
    addressHash: p.blob().$type<Buffer>().strictNullable(),
    createdAt: p.datetime(3),
    finishedAt: p.datetime(3).strictNullable(),
  },
});
export type NotificationDelivery = InferEntity<typeof NotificationDelivery>;

/** An address that mail does not reach, until somebody lifts it; `liftedBy` is null if its owner proved it. */
export const SuppressedAddress = defineEntity({
  name: 'SuppressedAddress',
  tableName: 'suppressed_addresses',
  properties: {
    id: p.uuid().$type<SuppressedAddressId>().primary().defaultRaw('uuidv7()'),
    addressHash: p.blob().$type<Buffer>(),
    deliveryId: p.uuid().$type<DeliveryId>(),
    reason: p.enum(['refused', 'bounced']),
    createdAt: p.datetime(3),
    liftedAt: p.datetime(3).strictNullable(),
    liftedBy: p.uuid().$type<UserId>().strictNullable(),
  },
});
export type SuppressedAddress = InferEntity<typeof SuppressedAddress>;

/** What an administrator tells many people. `sealedValues` are erased at its end; without `recipients` it is for every active customer. */
export const Announcement = defineEntity({
  name: 'Announcement',
  tableName: 'announcements',
  properties: {
    id: p.uuid().$type<AnnouncementId>().primary(),
    typeCode: p.text(),
    sealedValues: p.blob().$type<Buffer>().strictNullable(),
    recipients: p.array().columnType('uuid[]').$type<readonly UserId[]>().strictNullable(),
    status: p.enum(ANNOUNCEMENT_STATUSES).default('sending'),
    told: p.bigint('number').default(0),
    lastTold: p.uuid().$type<UserId>().strictNullable(),
    createdBy: p.uuid().$type<UserId>(),
    createdAt: p.datetime(3),
    activeAt: p.datetime(3),
    finishedAt: p.datetime(3).strictNullable(),
  },
});
export type Announcement = InferEntity<typeof Announcement>;

/** Parts of text messages that were sent on a day: to a number, known by its hash, and of the whole bank. */
export const SmsUse = defineEntity({
  name: 'SmsUse',
  tableName: 'sms_uses',
  properties: {
    day: p.date().primary(),
    spender: p.text().primary(),
    segments: p.integer(),
  },
});
export type SmsUse = InferEntity<typeof SmsUse>;

/** What somebody wants otherwise than the type says. */
export const NotificationChoice = defineEntity({
  name: 'NotificationChoice',
  tableName: 'notification_choices',
  properties: {
    userId: p.uuid().$type<UserId>().primary(),
    typeCode: p.text().primary(),
    channel: p.enum(CHANNELS).primary(),
    enabled: p.boolean(),
    updatedAt: p.datetime(3),
  },
});
export type NotificationChoice = InferEntity<typeof NotificationChoice>;

/** A browser that takes push messages. `sealedTarget` holds its address and keys; `refusals` are those since it last took one. */
export const PushSubscription = defineEntity({
  name: 'PushSubscription',
  tableName: 'push_subscriptions',
  properties: {
    id: p.uuid().$type<PushSubscriptionId>().primary().defaultRaw('uuidv7()'),
    userId: p.uuid().$type<UserId>(),
    endpointHash: p.blob().$type<Buffer>(),
    host: p.text(),
    sealedTarget: p.blob().$type<Buffer>(),
    keyVersion: p.text(),
    refusals: p.smallint().default(0),
    createdAt: p.datetime(3),
    takenAt: p.datetime(3).strictNullable(),
  },
});
export type PushSubscription = InferEntity<typeof PushSubscription>;

/** When somebody wants to be left alone, in which zone (null: that of the bank), and when a digest shall come. */
export const NotificationSettings = defineEntity({
  name: 'NotificationSettings',
  tableName: 'notification_settings',
  properties: {
    userId: p.uuid().$type<UserId>().primary(),
    quietEnabled: p.boolean().default(false),
    quietStart: p.time().columnType('time').default('22:00'),
    quietEnd: p.time().columnType('time').default('07:00'),
    timeZone: p.text().strictNullable(),
    digestHour: p.smallint().default(8),
    digestWeekday: p.smallint().strictNullable(),
    updatedAt: p.datetime(3),
  },
});
export type NotificationSettings = InferEntity<typeof NotificationSettings>;

/** A message of the release before, which its process delivers. `sealedContent` holds recipient and values until then. */
export const Message = defineEntity({
  name: 'Message',
  tableName: 'messages',
  properties: {
    id: p.uuid().$type<MessageId>().primary(),
    userId: p.uuid().$type<UserId>().strictNullable(),
    channel: p.enum(MESSAGE_CHANNELS),
    template: p.text().$type<MessageTemplate>(),
    locale: p.text(),
    sealedContent: p.blob().$type<Buffer>().strictNullable(),
    status: p.enum(['queued', 'delivered', 'failed']).default('queued'),
    attempts: p.smallint().default(0),
    createdAt: p.datetime(3).defaultRaw('bank_now()'),
    finishedAt: p.datetime(3).strictNullable(),
  },
});
export type Message = InferEntity<typeof Message>;
