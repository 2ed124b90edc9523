/** Idempotency keys: the first answer is kept for 24 hours, and an internal error makes the key unusable. */
import type { KeptAnswer } from '../state/records.ts';
import type { World } from '../state/world.ts';
import { badRequest } from './refused.ts';
import type { Reply } from './route.ts';

const KEY_LENGTH = 40;
const KEY_MS = 24 * 3_600_000;

export interface Idempotency {
  /** The answer kept for this key, if any; throws if an internal error has made the key unusable. */
  earlier(key: string | undefined): Reply | undefined;
  keep(key: string | undefined, reply: Reply): void;
  /** Makes a key unusable unless it already has an answer. */
  useUp(key: string | undefined): void;
}

export function createIdempotency({ answers }: World): Idempotency {
  function kept(key: string): KeptAnswer | undefined {
    const found = answers.get(key);
    return found !== undefined && Date.now() - found.at < KEY_MS ? found : undefined;
  }
  return {
    earlier(key) {
      if (key === undefined) return undefined;
      if (key.length > KEY_LENGTH)
        throw badRequest(`Idempotency-Key: at most ${String(KEY_LENGTH)} characters`);
      const answer = kept(key);
      if (answer?.status === null)
        throw badRequest(
          "This operation doesn't support the usage of the same idempotency key after an internal error",
        );
      return answer === undefined ? undefined : { status: answer.status, body: answer.body };
    },
    keep(key, { status = 200, body }) {
      if (key !== undefined) answers.set(key, { at: Date.now(), status, body });
    },
    useUp(key) {
      if (key !== undefined && kept(key) === undefined)
        answers.set(key, { at: Date.now(), status: null, body: null });
    },
  };
}
