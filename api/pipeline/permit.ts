/** Step: an admin operation needs an admin who holds its permission. */
import { Refusal } from '../../domain/refusals.ts';
import type { Operation } from '../operation.ts';
import type { Caller } from './authenticate.ts';

/** Refuses forbidden, naming the permission to ask for. */
export function permit({ access }: Operation, caller: Caller): void {
  if (access.auth !== 'admin') return;
  const permitted = caller?.kind === 'admin' && caller.permissions.has(access.permission);
  if (!permitted) throw new Refusal('forbidden', { members: { permission: access.permission } });
}
