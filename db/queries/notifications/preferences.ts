/** What somebody wants to be told, and when. */
import { id, text, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf } from '../../rows/table-columns.ts';
import { User } from '../../schema/identity.ts';
import { NotificationChoice, NotificationSettings, NotificationType } from '../../schema/notifications.ts';
import type { UserId } from '../../../domain/ids.ts';

const userId = id<UserId>();

const offered = columnsOf(
  NotificationType,
  ...(['code', 'name', 'category', 'mandatory', 'channelsAllowed', 'channelsDefault', 'lane'] as const),
);
export type TypeOffered = RowOf<typeof offered>;

/** The types that somebody can be told of, in the order of their codes. */
export const typesOffered = statement({
  name: 'typesOffered',
  gives: offered,
  sql: `
    select code, name, category, mandatory, channels_allowed, channels_default, lane
      from notification_types where enabled order by code`,
});

/** What somebody wants otherwise than the types say. */
export const choicesOf = statement({
  name: 'choicesOf',
  takes: { userId },
  gives: columnsOf(NotificationChoice, 'typeCode', 'channel', 'enabled'),
  sql: 'select type_code, channel, enabled from notification_choices where user_id = $userId',
});

export const saveChoice = statement({
  name: 'saveChoice',
  takes: { userId, ...columnsOf(NotificationChoice, 'typeCode', 'channel', 'enabled') },
  gives: {},
  sql: `
    insert into notification_choices (user_id, type_code, channel, enabled, updated_at)
    values ($userId, $typeCode, $channel, $enabled, bank_now())
    on conflict (user_id, type_code, channel) do update set enabled = excluded.enabled, updated_at = excluded.updated_at`,
});

const settings = columnsOf(
  NotificationSettings,
  ...(['quietEnabled', 'quietStart', 'quietEnd', 'timeZone', 'digestHour', 'digestWeekday'] as const),
);

/** The settings of somebody who has any, and the language of their profile. */
export const settingsOf = statement({
  name: 'settingsOf',
  takes: { userId },
  gives: settings,
  sql: `
    select quiet_enabled, quiet_start, quiet_end, time_zone, digest_hour, digest_weekday
      from notification_settings where user_id = $userId`,
});

/** Makes the row of the settings, and keeps others from changing this person's preferences until the transaction ends. */
export const lockSettings = statement({
  name: 'lockSettings',
  takes: { userId },
  gives: {},
  sql: `
    insert into notification_settings (user_id, updated_at) values ($userId, bank_now())
    on conflict (user_id) do update set updated_at = excluded.updated_at`,
});

export const saveSettings = statement({
  name: 'saveSettings',
  takes: { userId, ...settings },
  gives: {},
  sql: `
    update notification_settings
       set quiet_enabled = $quietEnabled, quiet_start = $quietStart, quiet_end = $quietEnd, time_zone = $timeZone,
           digest_hour = $digestHour, digest_weekday = $digestWeekday, updated_at = bank_now()
     where user_id = $userId`,
});

/** Lets what waits for the end of quiet hours or for a digest be looked at again now. */
export const wakeQuiet = statement({
  name: 'wakeQuiet',
  takes: { userId },
  gives: {},
  sql: `
    update notification_deliveries d set due_at = bank_now(), digest_at = null
      from notifications n
     where n.user_id = $userId and d.notification_id = n.id and d.status = 'queued' and (d.reason = 'quiet_hours' or d.digest_at is not null)
       and d.begun_at is null`,
});

export const localeOf = statement({
  name: 'localeOf',
  takes: { userId },
  gives: columnsOf(User, 'locale'),
  sql: 'select locale from users where id = $userId',
});

export const saveLocale = statement({
  name: 'saveLocale',
  takes: { userId, locale: text() },
  gives: {},
  sql: 'update users set locale = $locale, updated_at = bank_now() where id = $userId',
});
