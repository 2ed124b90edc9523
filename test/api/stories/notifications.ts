/** The happy paths of notifications: the feed, what somebody wants to be told, types, templates and messages of administrators. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Bank, Person } from '../../support/bank/bank.ts';
import { newKey } from '../../support/client.ts';
import { feedOf, writeTo } from '../../support/bank/notifications.ts';
import { perform, type Stories, type Story } from '../story.ts';

const Made = z.looseObject({ id: z.uuid() });

async function toldCustomer(bank: Bank): Promise<{ readonly customer: Person; readonly id: string }> {
  const customer = await bank.customer();
  await writeTo(bank, customer);
  const [first] = (await feedOf(customer, 1)).items;
  return { customer, id: first?.id ?? '' };
}

/** The address of a customer, as if a mail to it had come back. */
async function suppressed(bank: Bank): Promise<string> {
  const { customer } = await toldCustomer(bank);
  const [made] = await bank.asOwner(
    `insert into suppressed_addresses (address_hash, delivery_id, reason, created_at)
       select address_hash(u.email), d.id, 'bounced', now() from users u join notifications n on n.user_id = u.id
         join notification_deliveries d on d.notification_id = n.id where u.id = $1 limit 1 returning id`,
    [customer.id],
  );
  return String(made?.['id']);
}

/** An announcement that is over, or that waits for a process which nobody starts. */
async function announced(bank: Bank, status = 'sent'): Promise<string> {
  const customer = await bank.customer();
  const [made] = await bank.asOwner(
    `insert into announcements (id, type_code, recipients, created_by, created_at, active_at, status, finished_at)
       values (uuidv7(), 'announcement', array[$1::uuid], $1, now(), now(), $2::text, case $2 when 'sent' then now() end) returning id`,
    [customer.id, status],
  );
  return String(made?.['id']);
}

const newCode = (): string => `t${randomUUID().replaceAll('-', '').slice(0, 20)}`;
const typeBody = (code: string): object => ({
  ...{ code, name: 'A type of a story', category: 'service' },
  ...{ channels_allowed: ['in_app', 'email', 'sms'], channels_default: ['in_app'] },
  variables: [{ name: 'number', type: 'text', sample: 'T-1', personal: false }],
});

async function madeType(bank: Bank): Promise<string> {
  const admin = await bank.admin('notifications:write');
  const code = newCode();
  const call = { token: admin.token, key: newKey(), body: typeBody(code) };
  await admin.client.call('POST', '/v1/admin/notification-types', call);
  return code;
}

const templateBody = (type: string): object => ({
  ...{ type_code: type, channel: 'email', locale: 'fr' },
  ...{ subject: 'Bonjour {{ number }}', body: 'Bonjour {{ customer.first_name }}' },
});

async function madeTemplate(bank: Bank): Promise<string> {
  const admin = await bank.admin('notifications:write');
  const call = { token: admin.token, key: newKey(), body: templateBody(await madeType(bank)) };
  return (await admin.client.call('POST', '/v1/admin/notification-templates', call)).as(Made).id;
}

const ofTemplate =
  (method: 'GET' | 'PATCH' | 'DELETE', permission: string, path = '', body?: object): Story =>
  async (bank) =>
    perform(await bank.admin(permission), {
      method,
      path: `/v1/admin/notification-templates/${await madeTemplate(bank)}${path}`,
      ...(body === undefined ? {} : { body }),
    });

const get =
  (permission: string, path: string): Story =>
  async (bank) =>
    perform(await bank.admin(permission), { method: 'GET', path });

const browser = (): object => ({
  endpoint: `https://push.example.com/send/${randomUUID()}`,
  keys: {
    p256dh: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
});
const PUSH = '/v1/notifications/push-subscriptions';

async function subscribed(bank: Bank): Promise<{ readonly customer: Person; readonly id: string }> {
  const customer = await bank.customer();
  const call = { token: customer.token, key: newKey(), body: browser() };
  return { customer, id: (await customer.client.call('POST', PUSH, call)).as(Made).id };
}

export const notifications: Stories = {
  listNotifications: async (bank) =>
    perform((await toldCustomer(bank)).customer, { method: 'GET', path: '/v1/notifications' }),
  getNotificationPreferences: async (bank) =>
    perform(await bank.customer(), { method: 'GET', path: '/v1/notifications/preferences' }),
  updateNotificationPreferences: async (bank) =>
    perform(await bank.customer(), {
      ...{ method: 'PATCH', path: '/v1/notifications/preferences' },
      body: { types: [{ code: 'ticket_reply', channels: { email: false } }] },
    }),
  readAllNotifications: async (bank) =>
    perform((await toldCustomer(bank)).customer, { method: 'POST', path: '/v1/notifications/read-all' }),
  seeNotifications: async (bank) =>
    perform((await toldCustomer(bank)).customer, { method: 'POST', path: '/v1/notifications/seen' }),
  streamNotifications: async (bank) =>
    perform((await toldCustomer(bank)).customer, {
      ...{ method: 'GET', path: '/v1/notifications/stream?last_event_id=0' },
      headers: { Accept: 'application/json' },
    }),
  getPushKey: async (bank) =>
    perform(await bank.customer(), { method: 'GET', path: '/v1/notifications/push-key' }),
  subscribeToPush: async (bank) =>
    perform(
      await bank.customer(),
      { method: 'POST', path: PUSH, key: newKey(), body: browser() },
      { otherBody: browser() },
    ),
  listPushSubscriptions: async (bank) =>
    perform((await subscribed(bank)).customer, { method: 'GET', path: PUSH }),
  unsubscribeFromPush: async (bank) => {
    const { customer, id } = await subscribed(bank);
    return perform(customer, { method: 'DELETE', path: `${PUSH}/${id}` });
  },
  readNotification: async (bank) => {
    const { customer, id } = await toldCustomer(bank);
    return perform(customer, { method: 'POST', path: `/v1/notifications/${id}/read` });
  },
  sendAdminMessage: async (bank) => {
    const customer = await bank.customer();
    const body = { title: 'Your documents', body: 'Please send them.' };
    return perform(
      await bank.admin('notifications:send'),
      { method: 'POST', path: `/v1/admin/users/${customer.id}/messages`, key: newKey(), body },
      { otherBody: { ...body, title: 'Other' } },
    );
  },
  listToldNotifications: async (bank) => {
    const { customer } = await toldCustomer(bank);
    return perform(await bank.admin('notifications:read'), {
      ...{ method: 'GET', path: `/v1/admin/users/${customer.id}/notifications` },
    });
  },
  listSuppressedAddresses: async (bank) => {
    await suppressed(bank);
    return get('notifications:read', '/v1/admin/suppressed-addresses')(bank);
  },
  liftSuppressedAddress: async (bank) =>
    perform(await bank.admin('notifications:write'), {
      ...{ method: 'DELETE', path: `/v1/admin/suppressed-addresses/${await suppressed(bank)}` },
    }),
  listAnnouncements: async (bank) => {
    await announced(bank);
    return get('notifications:read', '/v1/admin/announcements')(bank);
  },
  getAnnouncement: async (bank) =>
    get('notifications:read', `/v1/admin/announcements/${await announced(bank)}`)(bank),
  stopAnnouncement: async (bank) => {
    const path = `/v1/admin/announcements/${await announced(bank, 'sending')}/stop`;
    return perform(await bank.admin('notifications:send'), { method: 'POST', path, key: newKey() });
  },
  listNotificationTypes: get('notifications:read', '/v1/admin/notification-types'),
  getNotificationType: get('notifications:read', '/v1/admin/notification-types/ticket_reply'),
  createNotificationType: async (bank) => {
    const body = typeBody(newCode());
    return perform(
      await bank.admin('notifications:write'),
      { method: 'POST', path: '/v1/admin/notification-types', key: newKey(), body },
      { otherBody: { ...body, name: 'Another name' } },
    );
  },
  updateNotificationType: async (bank) =>
    perform(await bank.admin('notifications:write'), {
      ...{ method: 'PATCH', path: `/v1/admin/notification-types/${await madeType(bank)}` },
      body: { name: 'Another name', ttl: 'PT12H' },
    }),
  sendNotificationType: async (bank) => {
    const customer = await bank.customer();
    const body = { user_ids: [customer.id], variables: { number: 'T-2' } };
    return perform(
      await bank.admin('notifications:send'),
      {
        method: 'POST',
        path: `/v1/admin/notification-types/${await madeType(bank)}/send`,
        key: newKey(),
        body,
      },
      { otherBody: { ...body, variables: { number: 'T-3' } } },
    );
  },
  listNotificationTemplates: get('notifications:read', '/v1/admin/notification-templates'),
  listTemplateVariables: get('notifications:read', '/v1/admin/notification-templates/variables'),
  createNotificationTemplate: async (bank) => {
    const body = templateBody(await madeType(bank));
    return perform(
      await bank.admin('notifications:write'),
      { method: 'POST', path: '/v1/admin/notification-templates', key: newKey(), body },
      { otherBody: { ...body, body: 'Salut' } },
    );
  },
  getNotificationTemplate: ofTemplate('GET', 'notifications:read'),
  listTemplateVersions: ofTemplate('GET', 'notifications:read', '/versions'),
  previewTemplate: ofTemplate('GET', 'notifications:read', '/preview'),
  testSendTemplate: async (bank) =>
    perform(await bank.admin('notifications:write'), {
      ...{ method: 'POST', path: `/v1/admin/notification-templates/${await madeTemplate(bank)}/test-send` },
      key: newKey(),
    }),
  updateNotificationTemplate: ofTemplate('PATCH', 'notifications:write', '', { body: 'Salut {{ number }}' }),
  deleteNotificationTemplate: ofTemplate('DELETE', 'notifications:write'),
  rollBackTemplate: async (bank) => {
    const [id, admin] = [await madeTemplate(bank), await bank.admin('notifications:write')];
    const path = `/v1/admin/notification-templates/${id}`;
    await admin.client.call('PATCH', path, { token: admin.token, body: { body: 'Salut' } });
    return perform(
      admin,
      { method: 'POST', path: `${path}/roll-back`, key: newKey(), body: { version: 1 } },
      { otherBody: { version: 2 } },
    );
  },
};
