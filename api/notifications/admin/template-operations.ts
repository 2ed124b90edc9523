/** The texts of notifications: written, tried out, rolled back. */
import { z } from 'zod';
import {
  pageOfTemplates,
  templateById,
  versionsOf,
  type TemplateVersionRow,
} from '../../../db/queries/notifications/templates.ts';
import { notificationTypes } from '../../../db/queries/notifications/types.ts';
import { EventId, NotificationTemplateId } from '../../../domain/ids.ts';
import {
  CHANNELS,
  COMMON_VARIABLES,
  TEMPLATE_STATUSES,
} from '../../../domain/notifications/notifications.ts';
import { smsSize } from '../../../domain/notifications/sms.ts';
import { found } from '../../../domain/refusals.ts';
import {
  changeTemplate,
  createTemplate,
  preview,
  rollBack,
  shownTemplate,
  testSend,
} from '../../../services/notifications/templates.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { keyset, keysetById } from '../../wire/cursor.ts';
import { patchOf } from '../../wire/rows.ts';
import { MessageResponse } from '../../wire/shapes.ts';
import * as wire from './schemas.ts';
import { templateView, versionView } from './views.ts';

const area = 'Admin notifications';
const byId = keysetById('notification-templates', NotificationTemplateId);
const byVersion = keyset('notification-template-versions', z.int(), (row: TemplateVersionRow) => row.version);
const params = z.strictObject({ id: NotificationTemplateId });
const MOST_TYPES = 1_000;
const CHECKED =
  'Every name in it must be a variable of the type; a fault is answered with its line and column. Codes and card numbers must stand neither in a subject nor in a push message.';

export const listNotificationTemplates = forAdmins({
  id: 'listNotificationTemplates',
  area,
  title: 'List notification templates',
  description: 'The templates of all types, newest first.',
  method: 'GET',
  path: '/v1/admin/notification-templates',
  effect: 'read',
  permission: 'notifications:read',
  query: byId.query({
    type: z.string().max(64).optional(),
    channel: z.enum(CHANNELS).optional(),
    locale: z.string().max(35).optional(),
    status: z.enum(TEMPLATE_STATUSES).optional(),
  }),
  status: 200,
  answer: wire.NotificationTemplateList,
  refuses: [],
  async handle({ db, query: { limit, cursor, ...filter } }) {
    return byId.page(
      { limit, cursor },
      (before, most) => pageOfTemplates.all(db, { filter, before, most }),
      (row) => templateView(shownTemplate(row)),
    );
  },
});

export const createNotificationTemplate = forAdmins({
  id: 'createNotificationTemplate',
  area,
  title: 'Create notification template',
  description: `Adds the text of a type on a channel in a language. ${CHECKED}`,
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/notification-templates',
  effect: 'transaction',
  permission: 'notifications:write',
  body: wire.NotificationTemplate,
  status: 201,
  answer: wire.NotificationTemplate,
  refuses: ['conflict', 'notification_mandatory'],
  async handle(request, services) {
    const { type_code: typeCode, channel, locale, subject, body, status } = request.body;
    const id = NotificationTemplateId.parse(request.newId);
    const template = { typeCode, channel, locale, subject: subject ?? null, body, status: status ?? 'draft' };
    return templateView(await createTemplate(request, services, id, template));
  },
});

export const listTemplateVariables = forAdmins({
  id: 'listTemplateVariables',
  area,
  title: 'List template variables',
  description: 'What a template of each type may say, with samples.',
  method: 'GET',
  path: '/v1/admin/notification-templates/variables',
  effect: 'read',
  permission: 'notifications:read',
  status: 200,
  answer: wire.TemplateVariablesResponse,
  refuses: [],
  async handle({ db }) {
    const types = await notificationTypes.all(db, { after: null, most: MOST_TYPES });
    return {
      common: [...COMMON_VARIABLES],
      types: types.map(({ code, name, variables }) => ({ code, name, variables: [...variables] })),
    };
  },
});

export const getNotificationTemplate = forAdmins({
  id: 'getNotificationTemplate',
  area,
  title: 'Get notification template',
  description: 'One template as it is now.',
  method: 'GET',
  path: '/v1/admin/notification-templates/{id}',
  effect: 'read',
  permission: 'notifications:read',
  params,
  status: 200,
  answer: wire.NotificationTemplate,
  refuses: [],
  async handle({ params: { id }, db }) {
    return templateView(shownTemplate(found(await templateById.first(db, { id }))));
  },
});

export const updateNotificationTemplate = forAdmins({
  id: 'updateNotificationTemplate',
  area,
  title: 'Update notification template',
  description: `Changes text or status, which makes the next version. What waits to be sent is sent in the new words. ${CHECKED}`,
  method: 'PATCH',
  path: '/v1/admin/notification-templates/{id}',
  effect: 'transaction',
  permission: 'notifications:write',
  params,
  body: wire.NotificationTemplateUpdate,
  status: 200,
  answer: wire.NotificationTemplate,
  refuses: ['conflict', 'notification_mandatory'],
  async handle(request, services) {
    return templateView(await changeTemplate(request, services, request.params.id, patchOf(request.body)));
  },
});

export const deleteNotificationTemplate = forAdmins({
  id: 'deleteNotificationTemplate',
  area,
  title: 'Delete notification template',
  description:
    'Retires a template; its versions stay readable. The last live one of a mandatory type on a channel stays.',
  method: 'DELETE',
  path: '/v1/admin/notification-templates/{id}',
  effect: 'transaction',
  permission: 'notifications:write',
  params,
  status: 204,
  answer: null,
  refuses: ['conflict', 'notification_mandatory'],
  async handle(request, services) {
    await changeTemplate(request, services, request.params.id, { status: 'retired' }, 'deleted');
    return null;
  },
});

export const listTemplateVersions = forAdmins({
  id: 'listTemplateVersions',
  area,
  title: 'List versions of notification template',
  description: 'What the template has said, newest first.',
  method: 'GET',
  path: '/v1/admin/notification-templates/{id}/versions',
  effect: 'read',
  permission: 'notifications:read',
  params,
  query: byVersion.query({}),
  status: 200,
  answer: wire.TemplateVersionList,
  refuses: [],
  beyond: true,
  async handle({ params: { id }, query, db }) {
    found(await templateById.first(db, { id }));
    return byVersion.page(query, (below, most) => versionsOf.all(db, { id, below, most }), versionView);
  },
});

export const rollBackTemplate = forAdmins({
  id: 'rollBackTemplate',
  area,
  title: 'Roll back notification template',
  description: 'Says again what an earlier version said, as the next version.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/notification-templates/{id}/roll-back',
  effect: 'transaction',
  permission: 'notifications:write',
  params,
  body: wire.RollBackRequest,
  status: 200,
  answer: wire.NotificationTemplate,
  refuses: ['conflict', 'notification_mandatory'],
  beyond: true,
  async handle(request, services) {
    return templateView(await rollBack(request, services, request.params.id, request.body.version));
  },
});

export const previewTemplate = forAdmins({
  id: 'previewTemplate',
  area,
  title: 'Preview notification template',
  description:
    'The text with the samples of its variables. A text message is shown as it is sent, in plain characters.',
  method: 'GET',
  path: '/v1/admin/notification-templates/{id}/preview',
  effect: 'read',
  permission: 'notifications:read',
  params,
  status: 200,
  answer: wire.TemplatePreview,
  refuses: [],
  beyond: true,
  async handle({ params: { id }, db }) {
    const template = found(await templateById.first(db, { id }));
    const shown = preview(template);
    return { ...shown, sms: template.channel === 'sms' ? smsSize(shown.body) : null };
  },
});

export const testSendTemplate = forAdmins({
  id: 'testSendTemplate',
  area,
  title: 'Test-send notification template',
  description: 'Sends the text with the samples of its variables to the caller, by mail and in the feed.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/notification-templates/{id}/test-send',
  effect: 'transaction',
  throttle: { points: 30, seconds: 3_600, per: 'user' },
  permission: 'notifications:write',
  params,
  status: 200,
  answer: MessageResponse,
  refuses: [],
  beyond: true,
  async handle(request, services) {
    await testSend(request, services, EventId.parse(request.newId), request.params.id);
    return { message: 'On its way to you.' };
  },
});

/** In the order of the documentation. */
export const operations = [
  listNotificationTemplates,
  createNotificationTemplate,
  listTemplateVariables,
  getNotificationTemplate,
  updateNotificationTemplate,
  deleteNotificationTemplate,
  listTemplateVersions,
  rollBackTemplate,
  previewTemplate,
  testSendTemplate,
];
