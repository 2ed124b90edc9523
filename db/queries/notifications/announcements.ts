/** What administrators tell many people. */
import type { AnnouncementId, EventId, UserId } from '../../../domain/ids.ts';
import { bigCount, boolean, id, idArray, oneOf, ownJson, type RowOf } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { User } from '../../schema/identity.ts';
import { Announcement } from '../../schema/notifications.ts';

const shown = {
  ...columnsOf(
    Announcement,
    ...(['id', 'typeCode', 'status', 'told', 'createdBy', 'createdAt', 'finishedAt'] as const),
  ),
};
/** What administrators see of an announcement. */
export type AnnouncementRow = RowOf<typeof shown>;

const whole = { ...shown, ...columnsOf(Announcement, 'sealedValues', 'lastTold') };

/** Writes an announcement; its process tells people. `recipients` are null for every active customer. */
export const insertAnnouncement = statement({
  name: 'insertAnnouncement',
  takes: {
    ...columnsOf(Announcement, 'id', 'typeCode', 'createdBy'),
    sealedValues: columnsOf(Announcement, 'sealedValues').sealedValues,
    recipients: idArray<UserId>().nullable(),
  },
  gives: {},
  sql: `
    insert into announcements (id, type_code, sealed_values, recipients, created_by, created_at, active_at)
    values ($id, $typeCode, $sealedValues, $recipients, $createdBy, bank_now(), bank_now())`,
});

export const announcementById = statement({
  name: 'announcementById',
  takes: columnsOf(Announcement, 'id'),
  gives: whole,
  sql: `select ${selectList(whole, 'a')} from announcements a where a.id = $id`,
});

/** Newest first. */
export const pageOfAnnouncements = statement({
  name: 'pageOfAnnouncements',
  takes: { before: id<AnnouncementId>().nullable(), most: bigCount() },
  gives: shown,
  sql: `
    select ${selectList(shown, 'a')} from announcements a
     where $before::uuid is null or a.id < $before order by a.id desc limit $most`,
});

/** How many people it is for. */
export const countRecipients = statement({
  name: 'countRecipients',
  takes: { recipients: idArray<UserId>().nullable() },
  gives: { count: bigCount() },
  sql: `
    select count(*) as count from users u
     where case when $recipients::uuid[] is null then u.role = 'customer' and u.status = 'active' else u.id = any ($recipients) end`,
});

/** The next people to be told, in the order of their ids: those who were there when it was made. */
export const nextRecipients = statement({
  name: 'nextRecipients',
  takes: { ...columnsOf(Announcement, 'id'), most: bigCount() },
  gives: columnsOf(User, 'id', 'locale'),
  sql: `
    select u.id, u.locale from announcements a join users u
        on u.id > coalesce(a.last_told, '00000000-0000-0000-0000-000000000000')
     where a.id = $id and a.recipients is null and u.role = 'customer' and u.status = 'active' and u.created_at <= a.created_at
    union all
    select u.id, u.locale from announcements a join users u on u.id = any (a.recipients)
     where a.id = $id and u.id > coalesce(a.last_told, '00000000-0000-0000-0000-000000000000')
     order by id limit $most`,
});

/** One person of a page; `content` is sealed, in hexadecimal. */
interface Recipient {
  readonly id: UserId;
  readonly event: EventId;
  readonly locale: string;
  readonly content: string;
}

/** Tells a page of people; false if it does not go on. */
export const tellPage = statement({
  name: 'tellPage',
  takes: {
    ...columnsOf(Announcement, 'id'),
    people: ownJson<readonly Recipient[]>(),
    last: id<UserId>(),
  },
  gives: { goesOn: boolean() },
  sql: 'select announcement_tell($id, $people, $last) as goes_on',
});

/** Ends it as stopped, or as sent if nothing of it waits; answers the status that it has then. */
export const endAnnouncement = statement({
  name: 'endAnnouncement',
  takes: { ...columnsOf(Announcement, 'id'), wanted: oneOf(['sent', 'stopped']) },
  gives: { status: columnsOf(Announcement, 'status').status.nullable() },
  sql: 'select announcement_end($id, $wanted) as status',
});

/** Whether so many deliveries of announcements wait to be sent now. */
export const isCrowded = statement({
  name: 'isCrowded',
  takes: { most: bigCount() },
  gives: { crowded: boolean() },
  sql: `
    select count(*) >= $most as crowded from (select from notification_deliveries
      where status = 'queued' and lane = 'bulk' and due_at <= (select bank_now()) limit $most) d`,
});
