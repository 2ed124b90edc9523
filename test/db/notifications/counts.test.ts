/** The counts that a feed shows are kept, not counted: whatever is shown, read and looked at, they say what the rows say. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { markAllRead, markRead, markSeen } from '../../../db/queries/notifications/feed.ts';
import type { NotificationId, UserId } from '../../../domain/ids.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { claim, happen, show } from '../../support/bank/events.ts';
import { withDice } from '../../support/property.ts';
import { ownBank } from '../../support/stack/database.ts';

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
});
afterAll(() => books.close());

const em = () => books.em();

/** Of each reader: what is kept, and what the rows say. A row is unseen if its place is behind the last one that was looked at. */
const compared = (readers: readonly UserId[]) =>
  books.asOwner(
    `select c.unread, count(n) filter (where n.read_at is null) as rows_unread,
            c.unseen, count(n) filter (where n.read_at is null and n.position > c.seen) as rows_unseen,
            c.shown, max(n.position) as rows_shown, count(distinct n.position) as places
       from notification_counts c join notifications n on n.user_id = c.user_id and n.shown_at is not null
      where c.user_id = any($1) group by c.user_id, c.unread, c.unseen, c.shown, c.seen`,
    [readers],
  );

test('counts of a feed are those of its rows, whatever many devices do at once', () =>
  withDice(async ({ below }) => {
    const readers = await Promise.all(Array.from({ length: 3 }, () => books.user()));
    const reader = (): UserId => readers[below(readers.length)] ?? readers[0]!;
    const shown: { id: NotificationId; userId: UserId }[] = [];
    const act = async (): Promise<void> => {
      const userId = reader();
      const one = shown[below(shown.length + 1)];
      switch (below(4)) {
        case 0:
          await markAllRead.one(em(), { userId, before: null });
          return;
        case 1:
          await markSeen.one(em(), { userId });
          return;
        default:
          if (one !== undefined) await markRead.first(em(), one);
      }
    };
    for (let round = 0; round < 12; round++) {
      for (let events = below(4); events >= 0; events--) await happen(em(), reader());
      const waiting = (await claim(em())).filter(
        ({ userId, channel }) => channel === 'in_app' && userId !== null && readers.includes(userId),
      );
      await Promise.all([...waiting.map((each) => show(em(), each)), ...Array.from({ length: 6 }, act)]);
      for (const { notificationId, userId } of waiting)
        if (userId !== null) shown.push({ id: notificationId, userId });
      for (const each of await compared(readers))
        expect(each).toMatchObject({
          rows_unread: each['unread'],
          rows_unseen: each['unseen'],
          rows_shown: each['shown'],
          places: each['shown'],
        });
    }
    expect(shown.length).toBeGreaterThan(20);
  }));
