/** Step: an admin operation needs an admin who holds its permission; an admin needs a second factor for all but their own login. */
import { Refusal } from '../../domain/refusals.ts';
import type { Operation } from '../declaration/operation.ts';
import type { Caller } from './authenticate.ts';

/** Refuses forbidden, naming the permission to ask for, and second_factor_required. */
export function permit(operation: Operation, caller: Caller): void {
  const { access } = operation;
  if (access.auth === 'admin') {
    const { permission } = access;
    const permitted = caller?.kind === 'admin' && (permission === null || caller.permissions.has(permission));
    if (!permitted) throw new Refusal('forbidden', permission === null ? {} : { members: { permission } });
  }
  if (caller?.kind === 'admin' && needsSecondFactor(operation) && caller.amr.length < 2)
    throw new Refusal('second_factor_required');
}

/**
 * What an admin may not do in a session that began with the password alone, even where a factor was set up elsewhere since: OWASP
 * ASVS 5.0 6.3.2. One's own login stays open, because a second factor is set up there.
 */
export function needsSecondFactor({ access, area }: Pick<Operation, 'access' | 'area'>): boolean {
  return access.auth === 'admin' || (access.auth === 'user' && area !== 'Identity');
}
