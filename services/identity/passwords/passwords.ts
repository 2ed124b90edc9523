/** Passwords: Argon2id, the rule of what is too weak, and a limit so that hashing cannot starve the process. */
import { availableParallelism } from 'node:os';
import { hash, verify, type Algorithm, type Options } from '@node-rs/argon2';
import { passwordHashes } from '../../../adapters/metrics.ts';
import { refuse } from '../../../domain/refusals.ts';

/** OWASP Password Storage: Argon2id with 19 MiB, two passes, one lane. */
const ARGON2ID: Options = {
  // the package's `Algorithm` is a const enum, which type stripping cannot inline; 2 is Argon2id
  algorithm: 2 satisfies Algorithm.Argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};
/** Hash of a password that nobody has, verified for unknown users so that the time does not tell. Same parameters. */
export const HASH_OF_NOBODY =
  '$argon2id$v=19$m=19456,t=2,p=1$VzDdiknIgCFKI+GfdZ9JKg$knx903crhXr9QVdXITTgK4J2lA+axLlFo0Euj19tOOI';
/** After about five seconds it is better to answer 503 and let the client retry. */
const WAITING_MAX = 256;

export interface Passwords {
  /** Refuses `unavailable` where too many wait. */
  hash(password: string): Promise<string>;
  /** Takes the same time with null: there is no such user, or no password yet. Refuses `unavailable` where too many wait. */
  verify(hashed: string | null, password: string): Promise<boolean>;
}

/** Hashing runs in libuv's pool of four threads; the limit leaves room there for files, names and signatures. */
export function createPasswords(limit = Math.max(1, Math.min(availableParallelism(), 3))): Passwords {
  const turn = turnstile(limit, WAITING_MAX);
  return {
    hash: (password) => turn(() => hash(password, ARGON2ID)),
    verify: async (hashed, password) => {
      const matches = await turn(() => verify(hashed ?? HASH_OF_NOBODY, password));
      return matches && hashed !== null;
    },
  };
}

/** Lets `limit` tasks run at a time; others wait in order, at most `waitingMax` of them. */
function turnstile(limit: number, waitingMax: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (running >= limit) {
      if (waiting.length >= waitingMax) throw refuse('unavailable', { retryAfter: 5 });
      // whoever finishes hands over its place, so `running` stays as it is
      passwordHashes.inc({ state: 'waiting' });
      await new Promise<void>((proceed) => waiting.push(proceed));
      passwordHashes.dec({ state: 'waiting' });
    } else {
      running += 1;
      passwordHashes.inc({ state: 'running' });
    }
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) {
        running -= 1;
        passwordHashes.dec({ state: 'running' });
      } else next();
    }
  };
}
