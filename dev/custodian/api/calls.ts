/** Answers an authenticated call: an armed fault first, then the answer kept for its Idempotency-Key, then the call itself. */
import { z } from 'zod';
import type { Fault } from '../../simulators/faults.ts';
import type { World } from '../state/world.ts';
import { createIdempotency } from './idempotency.ts';
import { badRequest, Refused } from './refused.ts';
import type { Reply, Route } from './route.ts';

/** An authenticated request with its route. */
export interface Asked {
  readonly route: Route;
  readonly params: readonly string[];
  readonly url: URL;
  readonly body: Buffer;
  readonly key: string | undefined;
}

const RETRY_AFTER_SECONDS = 1;

/** Answers calls; undefined means that the caller gets no answer. */
export function createCalls(world: World): (asked: Asked, fault: Fault | undefined) => Reply | undefined {
  const { earlier, keep, useUp } = createIdempotency(world);

  function carryOut({ route, params, url, body, key }: Asked): Reply {
    const address = `${url.origin}${url.pathname}`;
    return world.act(() => {
      const reply = refusalsAsReplies(() =>
        route.handle({ params, query: url.searchParams, body: jsonOf(body), address }),
      );
      keep(key, reply);
      return reply;
    }).result;
  }

  /** An internal error uses up the Idempotency-Key, and a 500 the external id as well. */
  function fail({ route, body, key }: Asked, status: 500 | 503): Reply {
    world.act(() => {
      useUp(key);
      const id = status === 500 && route.call === 'create_transaction' ? externalIdIn(body) : undefined;
      if (id !== undefined && world.externalIds.get(id) === undefined)
        world.externalIds.set(id, { id, transaction: null });
    });
    return { status, body: { message: 'Something went wrong at Fireblocks' } };
  }

  return (asked, fault) => {
    switch (fault) {
      case 'refuse':
        throw new Refused(401, -8, 'The API user has no permission for this call');
      case 'http_429':
        return {
          ...{ status: 429, body: { message: 'Too many requests' } },
          headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
        };
      case 'http_500':
        return fail(asked, 500);
      case 'http_503':
        return fail(asked, 503);
      case 'timeout':
        return undefined;
      case 'timeout_after_commit':
      case undefined: {
        const reply = earlier(asked.key) ?? carryOut(asked);
        return fault === undefined ? reply : undefined;
      }
    }
  };
}

function refusalsAsReplies(act: () => Reply): Reply {
  try {
    return act();
  } catch (error) {
    if (error instanceof Refused) return replyOf(error);
    throw error;
  }
}

/** `{message, code}`; anything unforeseen is an internal error. */
export function replyOf(error: unknown): Reply {
  if (!(error instanceof Refused))
    return { status: 500, body: { message: error instanceof Error ? error.message : String(error) } };
  const { status, code, message } = error;
  return { status, body: { message, ...(code === null ? {} : { code }) } };
}

/** The SDK sends some calls with the content type of JSON and an empty body. */
function jsonOf(body: Buffer): unknown {
  if (body.length === 0) return {};
  try {
    return JSON.parse(body.toString());
  } catch {
    throw badRequest('The body is not JSON');
  }
}

function externalIdIn(body: Buffer): string | undefined {
  const found = z.looseObject({ externalTxId: z.string() }).safeParse(jsonOf(body));
  return found.success ? found.data.externalTxId : undefined;
}
