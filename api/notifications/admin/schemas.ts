/** Types, templates and messages, as the back office sees them. */
import { z } from 'zod';
import { AnnouncementId, NotificationTemplateId, UserId } from '../../../domain/ids.ts';
import {
  ANNOUNCEMENT_STATUSES,
  CATEGORIES,
  CHANNELS,
  DIGESTS,
  TEMPLATE_STATUSES,
  VARIABLE_TYPES,
} from '../../../domain/notifications/notifications.ts';
import { codec } from '../../wire/codec.ts';
import { named } from '../../wire/naming.ts';
import { listOf, Timestamp } from '../../wire/shapes.ts';
import { Line, Text } from '../../wire/text.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';
const EXAMPLE_TIME = '2026-03-01T09:30:00.000Z';
const MOST_SECONDS = 30 * 86_400;

/** ISO 8601, of days, hours, minutes and seconds; a day has 24 hours. Seconds in code. */
const Duration = codec(
  z
    .string()
    .max(40)
    .regex(
      /^P(?=[\dT])(\d{1,4}D)?(T(?=\d)(\d{1,5}H)?(\d{1,6}M)?(\d{1,8}S)?)?$/,
      'must be a duration, such as "P3D"',
    ),
  z.int().min(60).max(MOST_SECONDS),
  {
    decode(text) {
      const part = (unit: RegExp): number => Number(unit.exec(text)?.[1] ?? 0);
      const minutes = Number(/T(?:\d+H)?(\d+)M/.exec(text)?.[1] ?? 0);
      return part(/(\d+)D/) * 86_400 + part(/(\d+)H/) * 3_600 + minutes * 60 + part(/(\d+)S/);
    },
    encode: durationOf,
  },
).describe('ISO 8601, a minute to thirty days.');

function durationOf(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), 'D'],
    [Math.floor((seconds % 86_400) / 3_600), 'H'],
    [Math.floor((seconds % 3_600) / 60), 'M'],
    [seconds % 60, 'S'],
  ] as const;
  const [days, ...times] = parts.map(([count, unit]) => (count === 0 ? '' : `${count}${unit}`));
  const time = times.join('');
  return `P${days ?? ''}${time === '' ? '' : `T${time}`}`;
}

const Code = z.string().regex(/^[a-z][a-z0-9_]{1,63}$/, 'must be lower-case letters, digits and underscores');
const Channels = z
  .array(z.enum(CHANNELS))
  .max(4)
  .refine((all) => new Set(all).size === all.length, 'must name each channel once');

const Variable = z.strictObject({
  name: Code,
  type: z
    .enum(VARIABLE_TYPES)
    .describe(
      'How a value is shown in the reader’s language: money is given as `12.34 EUR`, moments and days as ISO 8601.',
    ),
  sample: z.string().max(500).describe('Shown in previews; as long as values get.'),
  personal: z.boolean().describe('Says something of a person.'),
});
const variableExample = { name: 'number', type: 'text' as const, sample: 'T-100001', personal: false };

const changeable = {
  name: Line(100),
  category: z.enum(CATEGORIES),
  mandatory: z.boolean().optional().describe('At least one channel stays on, whatever somebody prefers.'),
  channels_allowed: Channels.min(1),
  channels_default: Channels.describe('Switched on for whoever has not said otherwise.'),
  digest: z.enum(DIGESTS).optional(),
  collapse_key: Line(64).nullish(),
  ttl: Duration.optional().describe('ISO 8601; after it nothing is sent any more. Default P3D.'),
  variables: z.array(Variable).max(50).optional().describe('What templates of the type may say.'),
  enabled: z.boolean().optional().describe('Default true.'),
};

export const NotificationType = named(
  'NotificationType',
  z.strictObject({
    code: Code.describe('Cannot be changed later.'),
    ...changeable,
    created_at: Timestamp.optional().describe('Ignored in a request.'),
    updated_at: Timestamp.optional().describe('Ignored in a request.'),
  }),
  {
    ...{ code: 'branch_closed', name: 'A branch closes', category: 'service', mandatory: false },
    ...{ channels_allowed: ['in_app', 'email'], channels_default: ['in_app'], digest: 'none' },
    ...{ collapse_key: null, ttl: 'P3D', variables: [variableExample], enabled: true },
    ...{ created_at: EXAMPLE_TIME, updated_at: EXAMPLE_TIME },
  },
);
export const NotificationTypeList = listOf('NotificationTypeList', NotificationType);
export const NotificationTypeUpdate = named('NotificationTypeUpdate', z.strictObject(changeable).partial(), {
  name: 'A branch closes for good',
});

const TemplateLocale = z
  .string()
  .regex(/^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$/, 'must be a language tag, such as "en" or "de-AT"')
  .describe('BCP 47. A reader gets the text of the exact tag, else of the language, else English.');
const Body = Text(20_000).describe('Liquid. Plain text: nothing in a value can become markup.');
const TemplateStatus = z.enum(['draft', 'live']);

const Sms = z.strictObject({
  encoding: z.enum(['GSM-7', 'UCS-2']),
  segments: z.int().min(1).describe('Messages that the text becomes with the samples.'),
});

export const NotificationTemplate = named(
  'NotificationTemplate',
  z.strictObject({
    id: NotificationTemplateId.optional().describe('Given by the service; ignored in a request.'),
    type_code: z.string().max(64),
    channel: z.enum(CHANNELS),
    locale: TemplateLocale,
    subject: Line(300).nullish().describe('One line; a text message has none.'),
    body: Body,
    status: z.enum(TEMPLATE_STATUSES).optional().describe('`live` is sent; default `draft`.'),
    version: z.int().optional().describe('Ignored in a request.'),
    sms: Sms.nullish().describe('Ignored in a request.'),
    updated_by: UserId.nullish().describe('Ignored in a request.'),
    created_at: Timestamp.optional().describe('Ignored in a request.'),
    updated_at: Timestamp.optional().describe('Ignored in a request.'),
  }),
  {
    ...{
      id: EXAMPLE_ID,
      type_code: 'ticket_reply',
      channel: 'email',
      locale: 'fr',
      status: 'draft',
      version: 1,
    },
    ...{ subject: 'Réponse au ticket {{ number }}', body: 'Bonjour {{ customer.first_name }}', sms: null },
    ...{ updated_by: EXAMPLE_ID, created_at: EXAMPLE_TIME, updated_at: EXAMPLE_TIME },
  },
);
export const NotificationTemplateList = listOf('NotificationTemplateList', NotificationTemplate);
export const NotificationTemplateUpdate = named(
  'NotificationTemplateUpdate',
  z.strictObject({ subject: Line(300).nullable(), body: Body, status: TemplateStatus }).partial(),
  { body: 'Bonjour {{ customer.first_name }} !' },
);

export const TemplateVariablesResponse = named(
  'TemplateVariablesResponse',
  z.strictObject({
    common: z.array(z.strictObject({ ...Variable.shape, name: z.string() })).describe('Of every type.'),
    types: z.array(z.strictObject({ code: z.string(), name: z.string(), variables: z.array(Variable) })),
  }),
  {
    common: [{ name: 'customer.first_name', type: 'text', sample: 'Ada', personal: true }],
    types: [{ code: 'ticket_reply', name: 'Support has answered', variables: [variableExample] }],
  },
);

export const TemplateVersionList = listOf(
  'NotificationTemplateVersionList',
  named(
    'NotificationTemplateVersion',
    z.strictObject({
      version: z.int(),
      subject: z.string().nullable(),
      body: z.string(),
      status: z.enum(TEMPLATE_STATUSES),
      created_by: UserId.nullable(),
      created_at: Timestamp,
    }),
    {
      ...{ version: 1, subject: 'Réponse', body: 'Bonjour', status: 'draft' as const },
      ...{ created_by: EXAMPLE_ID, created_at: EXAMPLE_TIME },
    },
  ),
);
export const RollBackRequest = named('TemplateRollBackRequest', z.strictObject({ version: z.int().min(1) }), {
  version: 1,
});
export const TemplatePreview = named(
  'TemplatePreview',
  z.strictObject({ subject: z.string().nullable(), body: z.string(), sms: Sms.nullable() }),
  { subject: 'Réponse au ticket T-100001', body: 'Bonjour Ada', sms: null },
);

export const AdminMessageRequest = named(
  'AdminMessageRequest',
  z.strictObject({
    title: Line(150),
    body: Text(5_000).describe('Plain text; links to the bank’s own address only.'),
    channels: z
      .array(z.enum(['in_app', 'email', 'sms']))
      .max(3)
      .optional()
      .describe('In the app always; others beside it. Default: as the customer prefers.'),
  }),
  { title: 'Your documents', body: 'Please send us a new proof of address.' },
);
export const SendByTypeRequest = named(
  'SendByTypeRequest',
  z
    .strictObject({
      user_ids: z.array(UserId).min(1).max(1_000).optional().describe('At most a thousand people.'),
      all: z.literal(true).optional().describe('Every active customer, in place of `user_ids`.'),
      variables: z
        .record(z.string().max(64), Text(5_000))
        .describe('A `title` is one line of at most 300 characters.'),
    })
    .refine(({ user_ids: some, all }) => (some === undefined) !== (all === undefined), {
      message: 'must name either user_ids or all',
      path: ['user_ids'],
    }),
  { user_ids: [EXAMPLE_ID], variables: { title: 'Opening hours', body: 'We are closed on Monday.' } },
);
export const SentByType = named(
  'SentByType',
  z.strictObject({
    count: z.int().min(0).describe('People who are told.'),
    announcement_id: AnnouncementId.nullable().describe('Of what is sent in pages; null for a few people.'),
  }),
  { count: 1, announcement_id: null },
);

export const Announcement = named(
  'Announcement',
  z.strictObject({
    id: AnnouncementId,
    type: z.string(),
    status: z
      .enum(ANNOUNCEMENT_STATUSES)
      .describe('`sent` once nothing of it waits; what was stopped is sent to nobody else.'),
    told: z.int().min(0).describe('People who were told so far.'),
    created_by: UserId,
    created_at: Timestamp,
    finished_at: Timestamp.nullable(),
  }),
  {
    ...{ id: EXAMPLE_ID, type: 'announcement', status: 'sending' as const, told: 1200 },
    ...{ created_by: EXAMPLE_ID, created_at: EXAMPLE_TIME, finished_at: null },
  },
);
export const AnnouncementList = listOf('AnnouncementList', Announcement);
