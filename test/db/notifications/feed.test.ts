/** What somebody has read of their feed, if it was shown in another order than it happened. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { markAllRead } from '../../../db/queries/notifications/feed.ts';
import { NotificationId, type UserId } from '../../../domain/ids.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { claim, happen, show } from '../../support/bank/events.ts';
import { ownBank } from '../../support/stack/database.ts';

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
});
afterAll(() => books.close());

const em = () => books.em();

/** Tells somebody of three events, of which the feed shows these, in this order. Returns the ids of all three, the first event first. */
async function shown(user: UserId, order: readonly number[]): Promise<NotificationId[]> {
  for (let events = 0; events < 3; events++) await happen(em(), user);
  const mine = (await claim(em())).filter(({ userId, channel }) => userId === user && channel === 'in_app');
  const ids = mine.map(({ notificationId }) => notificationId).sort();
  for (const index of order) {
    const delivery = mine.find(({ notificationId }) => notificationId === ids[index]);
    if (delivery !== undefined) expect(await show(em(), delivery)).toBe(true);
  }
  return ids;
}

/** Which of these are unread, by their place in the list. */
async function unread(ids: readonly NotificationId[]): Promise<number[]> {
  const rows = await books.asOwner(
    'select id from notifications where id = any ($1) and read_at is null and shown_at is not null',
    [[...ids]],
  );
  return rows.map(({ id }) => ids.indexOf(NotificationId.parse(id))).sort();
}

test('reading up to a notification reads what was shown before it, whichever happened first', async () => {
  const user = await books.user();
  // the first event is shown last, because its delivery was tried again
  const ids = await shown(user, [2, 1, 0]);
  const read = (before: NotificationId | undefined) =>
    markAllRead.first(em(), { userId: user, before: before ?? null });
  expect(await read(ids[2])).toEqual({ count: 1 });
  expect(await unread(ids)).toEqual([0, 1]);
  expect(await read(ids[1])).toEqual({ count: 1 });
  expect(await unread(ids)).toEqual([0]);
  expect(await read(ids[1])).toEqual({ count: 0 });
  expect(await read(undefined)).toEqual({ count: 1 });
});

test('reading up to what the feed of this person does not show reads nothing and finds nothing', async () => {
  const [user, other] = [await books.user(), await books.user()];
  const [mine, foreign] = [await shown(user, [0, 1]), await shown(other, [0, 1, 2])];
  for (const before of [mine[2], foreign[2]])
    expect(await markAllRead.first(em(), { userId: user, before: before ?? null })).toBeUndefined();
  expect(await unread(mine)).toEqual([0, 1]);
});
