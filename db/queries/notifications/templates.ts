/** Templates and their versions, as administrators see them. */
import { boolean, id, integer, type RowOf } from '../../rows/columns.ts';
import { composedStatement, narrowedTo } from '../../rows/composed.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import type { NotificationTemplateId } from '../../../domain/ids.ts';
import type { Channel, TemplateStatus } from '../../../domain/notifications/notifications.ts';
import {
  NotificationTemplate,
  NotificationTemplateVersion,
  NotificationType,
} from '../../schema/notifications.ts';

const key = columnsOf(NotificationTemplate, 'id');
const said = columnsOf(NotificationTemplate, 'subject', 'body', 'status', 'updatedBy');
const template = columnsOf(
  NotificationTemplate,
  ...(['id', 'typeCode', 'channel', 'locale', 'subject', 'body', 'version', 'status', 'updatedBy'] as const),
  ...(['createdAt', 'updatedAt'] as const),
);
const ofType = columnsOf(NotificationType, 'variables');
const withType = { ...template, ...ofType };
/** A template, with what its type lets it say. */
export type NotificationTemplateRow = RowOf<typeof withType>;

/** Reads templates; `t` is their table. */
const TEMPLATES = `
    select ${selectList(template, 't')}, ${selectList(ofType, 'y')}
      from notification_templates t join notification_types y on y.code = t.type_code`;

/** What a list of templates is narrowed to. */
export interface TemplateFilter {
  readonly type?: string | undefined;
  readonly channel?: Channel | undefined;
  readonly locale?: string | undefined;
  readonly status?: TemplateStatus | undefined;
}

/** Newest first. */
export const pageOfTemplates = composedStatement({
  name: 'pageOfTemplates',
  gives: withType,
  compose(
    {
      filter: { type, channel, locale, status },
      before,
      most,
    }: {
      readonly filter: TemplateFilter;
      readonly before: NotificationTemplateId | null;
      readonly most: number;
    },
    bind,
  ) {
    const narrowed = narrowedTo(
      {
        't.type_code =': type,
        't.channel =': channel,
        't.locale =': locale,
        't.status =': status,
        't.id <': before ?? undefined,
      },
      bind,
    );
    return `${TEMPLATES} where ${narrowed} order by t.id desc limit ${bind(most)}`;
  },
  examples: [
    { filter: {}, before: null, most: 1 },
    { filter: { type: 'x', channel: 'email', locale: 'en', status: 'live' }, before: null, most: 1 },
  ],
});

export const templateById = statement({
  name: 'templateById',
  takes: key,
  gives: withType,
  sql: `${TEMPLATES} where t.id = $id`,
});

/** Adds a template; writes nothing if another one of its type, channel and language is live, as this one wants to be. */
export const insertTemplate = statement({
  name: 'insertTemplate',
  takes: columnsOf(
    NotificationTemplate,
    ...(['id', 'typeCode', 'channel', 'locale', 'subject', 'body', 'status', 'updatedBy'] as const),
  ),
  gives: {},
  sql: `
    insert into notification_templates
      (id, type_code, channel, locale, subject, body, status, updated_by, created_at, updated_at)
    values ($id, $typeCode, $channel, $locale, $subject, $body, $status, $updatedBy, bank_now(), bank_now())
    on conflict do nothing`,
});

/** Changes what a template says; a trigger gives it the next version. */
export const updateTemplate = statement({
  name: 'updateTemplate',
  takes: { ...key, ...said },
  gives: {},
  sql: `
    update notification_templates set subject = $subject, body = $body, status = $status, updated_by = $updatedBy
     where id = $id`,
});

/** Whether other live templates of the same type say it: on the same channel, and in the same language there. */
export const othersLive = statement({
  name: 'othersLive',
  takes: key,
  gives: { onChannel: boolean(), inLocale: boolean() },
  sql: `
    select exists (select from notification_templates o where o.type_code = t.type_code and o.channel = t.channel
             and o.status = 'live' and o.id <> t.id) as on_channel,
           exists (select from notification_templates o where o.type_code = t.type_code and o.channel = t.channel
             and o.locale = t.locale and o.status = 'live' and o.id <> t.id) as in_locale
      from notification_templates t where t.id = $id`,
});

const version = columnsOf(
  NotificationTemplateVersion,
  ...(['version', 'subject', 'body', 'status', 'createdBy', 'createdAt'] as const),
);
export type TemplateVersionRow = RowOf<typeof version>;

/** What a template has said, newest first. */
export const versionsOf = statement({
  name: 'versionsOf',
  takes: { ...key, below: integer().nullable(), most: integer() },
  gives: version,
  sql: `
    select ${selectList(version, 'v')} from notification_template_versions v
     where v.template_id = $id and ($below::integer is null or v.version < $below::integer)
     order by v.version desc limit $most::integer`,
});

export const templateVersion = statement({
  name: 'templateVersion',
  takes: { id: id<NotificationTemplateId>(), version: integer() },
  gives: version,
  sql: `
    select ${selectList(version, 'v')} from notification_template_versions v
     where v.template_id = $id and v.version = $version`,
});
