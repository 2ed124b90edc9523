/** The texts that are sent. */
import { textArray } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { NotificationTemplate } from '../../schema/notifications.ts';

/** The live text of a type on a channel: in the first of these languages that has one, else in any. */
export const liveText = statement({
  name: 'liveText',
  takes: { ...columnsOf(NotificationTemplate, 'typeCode', 'channel'), locales: textArray() },
  gives: columnsOf(NotificationTemplate, 'locale', 'subject', 'body'),
  sql: `
    select locale, subject, body from notification_templates
     where type_code = $typeCode and channel = $channel and status = 'live'
     order by array_position($locales, locale) nulls last, locale limit 1`,
});

/** All live texts of a type. */
export const liveTextsOf = statement({
  name: 'liveTextsOf',
  takes: columnsOf(NotificationTemplate, 'typeCode'),
  gives: columnsOf(NotificationTemplate, 'subject', 'body'),
  sql: `select subject, body from notification_templates where type_code = $typeCode and status = 'live'`,
});
