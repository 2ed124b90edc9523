/** A feed of a hundred thousand notifications costs what a short one costs. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { markAllRead, pageOfFeed } from '../../../db/queries/notifications/feed.ts';
import { declaredStatements } from '../../../db/rows/declared.ts';
import type { UserId } from '../../../domain/ids.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { ownBank } from '../../support/stack/database.ts';

const MANY = 100_000;
const Plan = z.array(
  z.object({
    'QUERY PLAN': z.array(
      z.looseObject({
        'Execution Time': z.number(),
        Plan: z.looseObject({ 'Shared Hit Blocks': z.number(), 'Shared Read Blocks': z.number() }),
      }),
    ),
  }),
);

let books: Books;
let reader: UserId;
beforeAll(async () => {
  books = openBooks(await ownBank());
  reader = await books.user();
  await books.asOwner(
    `with happened as (insert into events (type, user_id, created_at) select 'ticket_reply', $1, now() from generate_series(1, $2::int) returning id)
     insert into notifications (event_id, user_id, type_code, locale, created_at) select id, $1, 'ticket_reply', 'en', now() from happened`,
    [reader, MANY],
  );
  await books.asOwner(
    `update notifications set title = 'A', body = 'B', shown_at = now() where user_id = $1`,
    [reader],
  );
  await books.asOwner('vacuum analyze notifications');
});
afterAll(() => books.close());

test('the first page and the count look at a few hundred blocks at most', async () => {
  const rows = await pageOfFeed.all(books.em(), { userId: reader, before: null, most: 51 });
  expect(rows).toHaveLength(51);
  expect(rows[0]?.unreadCount).toBe(MANY);
  const { sql } = declaredStatements().find(({ name }) => name === 'pageOfFeed 1') ?? { sql: '' };
  const [explained] = Plan.parse(
    await books.asOwner(`explain (analyze, buffers, format json) ${sql}`, [reader, 51]),
  );
  const { 'Shared Hit Blocks': hit, 'Shared Read Blocks': read } = explained?.['QUERY PLAN'][0]?.Plan ?? {
    ...{ 'Shared Hit Blocks': Infinity, 'Shared Read Blocks': 0 },
  };
  expect(hit + read).toBeLessThan(300);
});

test('reading all of them at once is counted right', async () => {
  expect(await markAllRead.one(books.em(), { userId: reader, before: null })).toEqual({ count: MANY });
  const [page] = await pageOfFeed.all(books.em(), { userId: reader, before: null, most: 1 });
  expect(page?.unreadCount).toBe(0);
  expect(
    await pageOfFeed.all(books.em(), { userId: reader, before: null, most: 1, unread: true }),
  ).toMatchObject([{ unreadCount: 0, id: null }]);
});
