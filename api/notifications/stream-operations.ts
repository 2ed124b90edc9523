/** The feed as it grows: server-sent events. */
import { z } from 'zod';
import { forUsers } from '../declaration/operation.ts';
import type { Streamed } from '../../services/streamed.ts';
import type { Following, News } from '../../services/notifications/live/live.ts';
import * as wire from './schemas.ts';
import { notificationView } from './views.ts';

/** Clients wait so long before they come back, so that a process that stops does not bring all at once to another. */
const retryMilliseconds = (): number => 1_000 + Math.floor(Math.random() * 4_000);

export const streamNotifications = forUsers({
  id: 'streamNotifications',
  area: 'Notifications',
  title: 'Follow the feed',
  description:
    'Server-sent events: `notification` for each that the feed shows from now on, and `counts` at the beginning and whenever one of them changes, also by another device. The id of an event is its place in the feed: a client that comes back names the last one it has (`Last-Event-ID`) and gets what it has missed. A comment comes every 15 seconds. The stream ends with the session; at most ten reach one process. With `Accept: application/json` the answer is what is new at this moment, and ends.',
  method: 'GET',
  path: '/v1/notifications/stream',
  effect: 'read',
  formats: ['text/event-stream', 'application/json'],
  query: z.strictObject({
    last_event_id: z
      .string()
      .regex(/^\d{1,15}$/, 'must be the id of an event')
      .optional()
      .describe('As the header `Last-Event-ID`, which counts if both are there.'),
  }),
  status: 200,
  answer: wire.NotificationNews,
  refuses: ['too_many_requests', 'unavailable'],
  beyond: true,
  handle(call, { live }) {
    const { caller, query, format } = call;
    const after = query.last_event_id === undefined ? null : Number(query.last_event_id);
    const following = live.follow(call, { userId: caller.id, sessionId: caller.sessionId }, after);
    return Promise.resolve(format === 'text/event-stream' ? asEvents(following) : asJson(following));
  },
});

function asEvents({ news, stop }: Following): Streamed {
  async function* parts(): Streamed['parts'] {
    try {
      yield `retry: ${String(retryMilliseconds())}\n\n`;
      for await (const each of news) yield eventOf(each);
    } finally {
      stop();
    }
  }
  return { parts: parts(), filename: null, readerGone: stop };
}

/** What is there now, which ends with the first counts. */
function asJson({ news, stop }: Following): Streamed {
  async function* parts(): Streamed['parts'] {
    const items = [];
    try {
      for await (const each of news) {
        if (each.kind === 'notification') items.push(itemOf(each.row));
        if (each.kind !== 'counts') continue;
        const { place, unreadCount: unread_count, unseenCount: unseen_count } = each;
        yield JSON.stringify({ items, unread_count, unseen_count, last_event_id: String(place) });
        return;
      }
    } finally {
      stop();
    }
  }
  return { parts: parts(), filename: null };
}

function eventOf(news: News): string {
  switch (news.kind) {
    case 'beat':
      return ': \n\n';
    case 'counts': {
      const { unreadCount: unread_count, unseenCount: unseen_count, place } = news;
      return `id: ${String(place)}\nevent: counts\ndata: ${JSON.stringify({ unread_count, unseen_count })}\n\n`;
    }
    case 'notification':
      return `id: ${String(news.place)}\nevent: notification\ndata: ${JSON.stringify(itemOf(news.row))}\n\n`;
  }
}

/** As the lists show it: dates of JSON are those of the wire. */
function itemOf(row: Extract<News, { kind: 'notification' }>['row']): unknown {
  return z.encode(wire.Notification, notificationView(row));
}

/** In the order of the documentation. */
export const operations = [streamNotifications];
