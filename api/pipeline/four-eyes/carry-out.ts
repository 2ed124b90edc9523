/** Carries out what a second administrator has approved. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { actAs } from '../../../db/queries/platform/acting.ts';
import { isNotAllowed } from '../../../db/sql-state.ts';
import { tryOut } from '../../../db/transaction.ts';
import { isRefusal, Refusal } from '../../../domain/refusals.ts';
import type { Admin } from '../../../services/callers.ts';
import type { StoredRequest } from '../../../services/platform/changes.ts';
import type { Context } from '../../declaration/request.ts';
import { guardOf, watch, type GuardedCall } from './four-eyes.ts';
import type { Frame } from '../frame.ts';
import { permit } from '../permit.ts';
import { validate } from '../validate.ts';

/**
 * Carries an approved change out as its maker, by the very handler that was called: today's schema reads the request, the maker's
 * permission is asked for again, and the resource must be as it was. Answers a refusal or `stale` if nothing was done.
 */
export async function carryOut(
  frame: Frame,
  db: EntityManager,
  { operation: id, etag }: { readonly operation: string; readonly etag: string },
  request: StoredRequest,
  maker: Admin,
): Promise<'applied' | 'stale' | Refusal> {
  try {
    const operation = frame.operationOf(id);
    if (operation === undefined) return new Refusal('not_found');
    const { params, query, body, path, newId, address, userAgent, requestId } = request;
    permit(operation, maker);
    const raw = { params, query, body };
    const call = { operation, raw, path, run: validate(operation, raw) };
    const context: Context = {
      ...{ caller: maker, client: { address, userAgent }, requestId, rawBody: Buffer.alloc(0) },
      ...{ newId, isRepeat: false, format: undefined, db, claim: null },
    };
    return await tryOut(
      db,
      async (trial) => {
        await actAs.run(trial, { actor: maker.id });
        return apply(call, { ...context, db: trial }, etag, frame);
      },
      (outcome) => outcome === 'applied',
    );
  } catch (error) {
    if (isRefusal(error)) return error;
    // the maker has lost the right since it was asked for
    if (isNotAllowed(error)) return new Refusal('forbidden');
    throw error;
  }
}

async function apply(
  call: GuardedCall,
  context: Context,
  etag: string,
  frame: Frame,
): Promise<'applied' | 'stale' | Refusal> {
  const guard = guardOf(call.operation, call.raw.params, frame);
  if ((await watch(guard, call, context, frame)).etag !== etag) return 'stale';
  const outcome = await call.run(context, frame.services);
  return isRefusal(outcome) ? outcome : 'applied';
}
