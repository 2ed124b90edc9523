/**
 * Feeds that people follow (docs/decisions/0131). One connection of each process listens to the database for all of them; a notice names a
 * person, and whoever follows that person's feed reads what is new from the database.
 */
import type { Logger } from 'pino';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Config } from '../../../config.ts';
import { feedBehind, type FollowedRow } from '../../../db/queries/notifications/feed.ts';
import { listen } from '../../../db/queries/notifications/notices.ts';
import type { Refusing } from '../../callers.ts';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import { createSeats, rest, takeBeat, type Follower, type Seat } from './seats.ts';

const TICK_MILLISECONDS = 1_000;
const PAGE = 100;

/** What a reader of a feed is told next. */
export type News =
  | { readonly kind: 'notification'; readonly place: number; readonly row: FollowedRow }
  | {
      readonly kind: 'counts';
      readonly place: number;
      readonly unreadCount: number;
      readonly unseenCount: number;
    }
  | { readonly kind: 'beat' };

/** A feed while somebody follows it. */
export interface Following {
  /** Ends with the session, with the process, or once it is stopped. */
  readonly news: AsyncGenerator<News, void, undefined>;
  stop(): void;
}

export interface Live {
  /** Follows a feed from behind a place; from now on, if that is null. */
  follow(call: Refusing<'too_many_requests' | 'unavailable'>, who: Follower, after: number | null): Following;
  /** How many are followed. */
  count(): number;
  /** Ends all of them. */
  close(): Promise<void>;
}

interface Deps {
  readonly config: Pick<Config, 'DATABASE_URL'>;
  readonly em: () => EntityManager;
  readonly sessions: Sessions;
  readonly log: Logger;
}

export function createLive(deps: Deps): Live {
  const { config, sessions, log } = deps;
  const seats = createSeats();

  /** Nothing listens before somebody follows a feed. */
  function open() {
    const notices = listen({
      databaseUrl: config.DATABASE_URL,
      channel: 'teller_notifications',
      log,
      heard: (person) => {
        seats.markOf(person, { isNews: true });
      },
      lost: () => {
        seats.mark({ isNews: true });
      },
    });
    const unwatch = sessions.watch((id) => {
      seats.mark(
        { isDoubted: true },
        ({ userId, sessionId }) => id === null || id === userId || id === sessionId,
      );
    });
    const timer = setInterval(seats.beat, TICK_MILLISECONDS).unref();
    return async () => {
      clearInterval(timer);
      unwatch();
      await notices.close();
    };
  }

  let shut: (() => Promise<void>) | undefined;
  return {
    follow(call, who, after) {
      const seat = seats.take(call, who);
      shut ??= open();
      const stop = (): void => {
        seat.isOver = true;
        seat.wake();
        seats.leave(seat);
      };
      return { news: newsOf(deps, seat, after), stop };
    },
    count: seats.count,
    async close() {
      seats.mark({ isOver: true });
      await shut?.();
    },
  };
}

/** All that a reader is told, until there is nobody to tell. */
async function* newsOf(
  { em, sessions }: Deps,
  seat: Seat,
  after: number | null,
): AsyncGenerator<News, void, undefined> {
  let place = after;
  let told = '';
  while (!seat.isOver) {
    if (seat.isDoubted) {
      seat.isDoubted = false;
      if ((await sessions.behind(seat)) === null) return;
    }
    if (seat.isNews) {
      seat.isNews = false;
      // behind the end nothing is found but the counts
      const behind = { userId: seat.userId, after: place ?? Number.MAX_SAFE_INTEGER, most: PAGE };
      const page = await feedBehind.all(em(), behind);
      for (const row of page.filter(isShown)) {
        place = row.position;
        yield { kind: 'notification', place, row };
      }
      if (page.length === PAGE) seat.isNews = true;
      const [{ unreadCount, unseenCount, shown } = NONE] = page;
      place ??= shown;
      const counts = `${String(unreadCount)} ${String(unseenCount)}`;
      if (counts !== told) yield { kind: 'counts', place, unreadCount, unseenCount };
      told = counts;
    }
    if (takeBeat(seat)) yield { kind: 'beat' };
    await rest(seat);
  }
}

const NONE = { unreadCount: 0, unseenCount: 0, shown: 0 };

/** The row of nothing new holds the counts only. */
function isShown<Row extends { readonly id: unknown; readonly position: number | null }>(
  row: Row,
): row is Row & FollowedRow & { readonly position: number } {
  return row.id !== null && row.position !== null;
}
