/** Throttles: at most so many attempts in a span, counted in PostgreSQL so that all replicas of the API count together. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { throttled } from '../../adapters/metrics.ts';
import type { Cipher } from '../../adapters/cipher.ts';
import { runForLimiter } from '../../db/queries/platform/throttles.ts';
import type { Refusing } from '../callers.ts';

/** At most `points` calls in `seconds`. */
export interface Throttle {
  readonly points: number;
  readonly seconds: number;
}

/** A throttle of an operation: by the network that calls come from, unless it says otherwise. */
export interface CallThrottle extends Throttle {
  /** Counts by the user who calls, wherever from. */
  readonly per?: 'user';
  /** Gives the point back if the call succeeds: many honest people share the address of an office or a mobile carrier. */
  readonly counts?: 'failures';
}

export interface Throttles {
  /**
   * Counts one attempt under a name and a key (an identifier, an address; kept only as keyed hash).
   * Refuses too_many_requests if the rule's points are used up. A name has one rule.
   * Not from within a transaction: the count must outlive it, so it takes a connection of its own.
   */
  take(call: Refusing<'too_many_requests'>, name: string, key: string, rule: Throttle): Promise<void>;
  /** Gives back the point of an attempt that was right. */
  giveBack(name: string, key: string, rule: Throttle): Promise<void>;
}

export function createThrottles(deps: { cipher: Cipher; em: () => EntityManager }): Throttles {
  const { cipher, em } = deps;
  const limiters = new Map<string, RateLimiterPostgres>();
  const storeClient = {
    query: async (statement: { text: string; values?: readonly unknown[] }) => {
      const rows = await runForLimiter.all(em(), statement);
      return { rows, rowCount: rows.length };
    },
  };

  function limiterOf(name: string, rule: Throttle): RateLimiterPostgres {
    const known = limiters.get(name);
    if (known !== undefined) return known;
    const limiter = new RateLimiterPostgres({
      storeClient,
      storeType: 'client',
      tableName: 'throttles',
      tableCreated: true,
      keyPrefix: name,
      points: rule.points,
      duration: rule.seconds,
      // what is used up is refused from memory, so that a flood does not reach the database
      inMemoryBlockOnConsumed: rule.points + 1,
    });
    limiters.set(name, limiter);
    return limiter;
  }

  const counterOf = (name: string, key: string): string =>
    cipher.mac('throttle', name, key).toString('base64url');

  return {
    giveBack: async (name, key, rule) => {
      await limiterOf(name, rule).reward(counterOf(name, key));
    },
    take: async ({ refusal }, name, key, rule) => {
      try {
        await limiterOf(name, rule).consume(counterOf(name, key));
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        throttled.inc({ throttle: name });
        throw refusal('too_many_requests', {
          retryAfter: Math.max(1, Math.ceil(error.msBeforeNext / 1_000)),
        });
      }
    },
  };
}

/** An IPv6 customer owns a whole /64, so its addresses count as one; an IPv4-mapped one counts as IPv4. */
export function network(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1] !== undefined) return mapped[1];
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from(
    { length: tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length) },
    () => '0',
  );
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
