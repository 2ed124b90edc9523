/** Step: what moves money or gives authority needs a second factor of the administrator that was proven not long ago (RFC 9470). */
import type { EntityManager } from '@mikro-orm/postgresql';
import { provenWithin } from '../../../db/queries/identity/factors/factors.ts';
import { stepUpRequired } from '../../../domain/identity/step-up.ts';
import { FACTOR_MAX_AGE_SECONDS } from '../../../services/identity/factors/settings.ts';
import { movesMoneyOrGivesAuthority } from '../../../services/platform/permission.ts';
import type { Operation } from '../../declaration/operation.ts';
import type { Caller } from '../authenticate.ts';

/** Refuses step_up_required with `max_age`. A step-up for the operation renews the proof of the whole session. */
export async function requireFreshFactor(
  operation: Operation,
  caller: Caller,
  db: EntityManager,
): Promise<void> {
  if (caller === null || !needsFreshFactor(operation)) return;
  const wanted = { sessionId: caller.sessionId, seconds: FACTOR_MAX_AGE_SECONDS };
  const { proven } = await provenWithin.one(db, wanted);
  if (!proven) throw stepUpRequired('factor_too_old', operation.id, { max_age: FACTOR_MAX_AGE_SECONDS });
}

/**
 * Whatever moves money or gives authority, and is no GET: an administrator's session lives for hours, and each such call counts. What
 * needs no permission of its own decides on what others have asked for.
 */
export function needsFreshFactor({ access, method }: Operation): boolean {
  if (access.auth !== 'admin' || method === 'GET') return false;
  return access.permission === null || movesMoneyOrGivesAuthority(access.permission);
}
