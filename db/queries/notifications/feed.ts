/** The feed of one person: what has been shown, newest first. */
import { UserId, type NotificationId } from '../../../domain/ids.ts';
import type { Category } from '../../../domain/notifications/notifications.ts';
import { bigCount, id, type RowOf } from '../../rows/columns.ts';
import { composedStatement, narrowedTo } from '../../rows/composed.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, nullable, selectList } from '../../rows/table-columns.ts';
import { Notification, NotificationType } from '../../schema/notifications.ts';

const shown = columnsOf(
  Notification,
  ...(['id', 'typeCode', 'title', 'body', 'link', 'readAt', 'createdAt'] as const),
);
const category = columnsOf(NotificationType, 'category');
const line = { ...shown, ...category };
export type NotificationRow = RowOf<typeof line>;

/** What somebody wants to see of their feed. */
export interface FeedFilter {
  readonly userId: UserId;
  readonly before: NotificationId | null;
  readonly most: number;
  readonly unread?: boolean | undefined;
  readonly type?: string | undefined;
  readonly category?: Category | undefined;
}

const nobody = UserId.parse('ffffffff-ffff-7fff-bfff-ffffffffffff');

/** A page of the feed, how many of all are unread, and how many are new, at the same moment. Of an empty page the counts are left. */
export const pageOfFeed = composedStatement({
  name: 'pageOfFeed',
  gives: { unreadCount: bigCount(), unseenCount: bigCount(), ...nullable(line) },
  compose({ userId, before, most, unread, type, category: of }: FeedFilter, bind) {
    const user = bind(userId);
    const narrowed = narrowedTo(
      { 'n.id <': before ?? undefined, 'n.type_code =': type, 't.category =': of },
      bind,
    );
    const read = unread === undefined ? '' : `and n.read_at is ${unread ? '' : 'not '}null`;
    return `
      select coalesce(c.unread, 0) as unread_count, coalesce(c.unseen, 0) as unseen_count,
             ${selectList(shown, 'n')}, n.category
        from (select 1) one left join notification_counts c on c.user_id = ${user}
        left join lateral (
          select n.*, t.category from notifications n join notification_types t on t.code = n.type_code
           where n.user_id = ${user} and n.shown_at is not null ${read} and ${narrowed}
           order by n.id desc limit ${bind(most)}) n on true
       order by n.id desc`;
  },
  examples: [
    { userId: nobody, before: null, most: 1 },
    { userId: nobody, before: null, most: 1, unread: true, type: 'ticket_reply', category: 'service' },
    { userId: nobody, before: null, most: 1, unread: false },
  ],
});

/** Marks one as read; a repeat changes nothing. */
export const markRead = statement({
  name: 'markRead',
  takes: { id: id<NotificationId>(), userId: id<UserId>() },
  gives: line,
  sql: `
    with marked as (
      update notifications set read_at = coalesce(read_at, bank_now())
       where id = $id and user_id = $userId and shown_at is not null returning *)
    select ${selectList(shown, 'n')}, t.category from marked n join notification_types t on t.code = n.type_code`,
});

/**
 * Marks what has been shown until now, or until `before` was, as read. Answers how many were not; no row if the feed does not show `before`.
 * What is shown later may have an earlier id.
 */
export const markAllRead = statement({
  name: 'markAllRead',
  takes: { userId: id<UserId>(), before: id<NotificationId>().nullable() },
  gives: { count: bigCount() },
  sql: `
    with last as materialized (
      select position from notifications where id = $before::uuid and user_id = $userId and shown_at is not null),
    marked as (
      update notifications set read_at = bank_now()
       where user_id = $userId and shown_at is not null and read_at is null
         and ($before::uuid is null or position <= (select position from last)) returning 1)
    select count(*) as count from marked having $before::uuid is null or exists (select from last)`,
});

/** Notes that somebody has looked at their feed. Answers how many were new. */
export const markSeen = statement({
  name: 'markSeen',
  takes: { userId: id<UserId>() },
  gives: { count: bigCount() },
  sql: 'select feed_seen($userId) as count',
});

const followed = { ...line, position: columnsOf(Notification, 'position').position };
export type FollowedRow = RowOf<typeof followed>;

/** What the feed has shown behind a place, in that order, and the counts at the same moment. Of nothing new the counts are left. */
export const feedBehind = statement({
  name: 'feedBehind',
  takes: { userId: id<UserId>(), after: bigCount(), most: bigCount() },
  gives: { unreadCount: bigCount(), unseenCount: bigCount(), shown: bigCount(), ...nullable(followed) },
  sql: `
    select coalesce(c.unread, 0) as unread_count, coalesce(c.unseen, 0) as unseen_count, coalesce(c.shown, 0) as shown,
           ${selectList(shown, 'n')}, n.category, n.position
      from (select 1) one left join notification_counts c on c.user_id = $userId
        left join lateral (
          select n.*, t.category from notifications n join notification_types t on t.code = n.type_code
           where n.user_id = $userId and n.position > $after order by n.position limit $most) n on true
     order by n.position`,
});
