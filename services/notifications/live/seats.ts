/** Who follows which feed on this process, and what each has to look at. */
import type { SessionId, UserId } from '../../../domain/ids.ts';
import type { Refusing } from '../../callers.ts';

/** Tabs and devices of one person that reach one process. */
const MOST_OF_ONE = 10;
const MOST_OF_ALL = 5_000;
const COME_BACK_SECONDS = 30;
/** Shorter than proxies keep a silent connection. */
const BEAT_MILLISECONDS = 15_000;
/** A session that ends by time alone is noticed with this heartbeat. */
const BEATS_BETWEEN_CHECKS = 4;

export interface Follower {
  readonly userId: UserId;
  readonly sessionId: SessionId;
}

/** One who follows a feed, and why to look: the feed may have news, the session may be over, or the stream itself is. */
export interface Seat extends Follower {
  isNews: boolean;
  isDoubted: boolean;
  isOver: boolean;
  beats: number;
  beatAt: number;
  wake: () => void;
}

type Mark = Partial<Pick<Seat, 'isNews' | 'isDoubted' | 'isOver'>>;

export interface Seats {
  /** Refuses too_many_requests if the person follows often enough, and unavailable if the process is full. */
  take(call: Refusing<'too_many_requests' | 'unavailable'>, who: Follower): Seat;
  leave(seat: Seat): void;
  /** Marks all that the condition holds for, and wakes them. */
  mark(change: Mark, holds?: (who: Follower) => boolean): void;
  /** Marks all of one person. */
  markOf(userId: string, change: Mark): void;
  /** Wakes those whose heartbeat is due. */
  beat(): void;
  count(): number;
}

export function createSeats(): Seats {
  const seats = new Map<string, Set<Seat>>();
  let total = 0;

  const mark = (seat: Seat, change: Mark): void => {
    Object.assign(seat, change);
    seat.wake();
  };
  const forEach = (act: (seat: Seat) => void): void => {
    for (const ofOne of seats.values()) for (const seat of ofOne) act(seat);
  };

  return {
    take({ refusal }, who) {
      const ofOne = seats.get(who.userId) ?? new Set();
      const retryAfter = COME_BACK_SECONDS;
      if (ofOne.size >= MOST_OF_ONE) throw refusal('too_many_requests', { retryAfter });
      if (total >= MOST_OF_ALL) throw refusal('unavailable', { retryAfter });
      const fresh = { isNews: true, isDoubted: false, isOver: false, beats: 0, beatAt: nextBeat() };
      const seat: Seat = { ...who, ...fresh, wake: asleep };
      seats.set(who.userId, ofOne.add(seat));
      total += 1;
      return seat;
    },
    leave(seat) {
      const ofOne = seats.get(seat.userId);
      if (ofOne?.delete(seat) !== true) return;
      total -= 1;
      if (ofOne.size === 0) seats.delete(seat.userId);
    },
    mark: (change, holds = () => true) => {
      forEach((seat) => {
        if (holds(seat)) mark(seat, change);
      });
    },
    markOf: (userId, change) => {
      for (const seat of seats.get(userId) ?? []) mark(seat, change);
    },
    beat: () => {
      const now = performance.now();
      forEach((seat) => {
        if (seat.beatAt <= now) seat.wake();
      });
    },
    count: () => total,
  };
}

/** Whether a heartbeat is due; then the next one is set, and the session looked at now and then. */
export function takeBeat(seat: Seat): boolean {
  if (performance.now() < seat.beatAt) return false;
  seat.beatAt = nextBeat();
  seat.beats += 1;
  seat.isDoubted ||= seat.beats % BEATS_BETWEEN_CHECKS === 0;
  return true;
}

/** Until there is something to look at. */
export function rest(seat: Seat): Promise<void> {
  if (seat.isNews || seat.isDoubted || seat.isOver) return Promise.resolve();
  return new Promise((resolve) => {
    seat.wake = () => {
      seat.wake = asleep;
      resolve();
    };
  });
}

function nextBeat(): number {
  return performance.now() + BEAT_MILLISECONDS;
}

function asleep(): void {
  // nobody rests on it
}
