/** What administrators do with people and rights, as the audit log and the caller are told of it. */
import type { AuditEntry } from '../../../db/queries/platform/audit.ts';
import type { Verdict } from '../../../db/queries/identity/people/permissions.ts';
import type { UserId } from '../../../domain/ids.ts';
import { Refusal } from '../../../domain/refusals.ts';
import type { Context } from '../../declaration/request.ts';
import type { Admin } from '../../../services/callers.ts';

/** What of a request an act is written down with. */
export type Acting = Pick<Context<Admin>, 'caller' | 'client' | 'requestId' | 'db'>;

type AdminAction =
  | 'user.invited'
  | 'user.promoted'
  | 'user.updated'
  | 'user.revealed'
  | 'user.blocked'
  | 'user.unblocked'
  | 'permissions.granted'
  | 'permissions.revoked';

/** An entry of the audit log, but for what changed. */
export function adminAct(
  { caller, client, requestId }: Acting,
  action: AdminAction,
  subject: UserId,
): AuditEntry {
  return {
    actorId: caller.id,
    actorRole: 'admin',
    action,
    subjectType: 'user',
    subjectId: subject,
    requestId,
    address: client.address,
  };
}

/** Turns the database's no into a refusal that names the missing action. */
export function hold(verdict: Verdict): void {
  const { refusal, missing } = verdict;
  if (refusal === null) return;
  throw missing === null || refusal !== 'permission_not_held'
    ? new Refusal(refusal)
    : new Refusal(refusal, { members: { permission: missing } });
}
