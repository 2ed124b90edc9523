/** A user's security events: rows of the audit log, without secrets, codes or tokens. */
import { record, type Deed } from '../../db/queries/platform/audit.ts';
import type { UserId } from '../../domain/ids.ts';
import type { UserRole } from '../../domain/identity/people.ts';
import type { Visit } from '../callers.ts';

export type SecurityEvent =
  | 'user.registered'
  | 'user.invitation_accepted'
  | 'login.challenged'
  | 'session.ended'
  | 'session.refresh_reused'
  | 'step_up.asked'
  | 'step_up.verified'
  | 'phone.verified'
  | 'profile.changed'
  | 'password.changed'
  | 'password.reset'
  | 'contact.change_asked'
  | 'email.changed'
  | 'phone.changed'
  | 'email.proven'
  | 'phone.proven'
  | 'mfa.changed'
  | 'totp.begun'
  | 'totp.enabled'
  | 'totp.removed';

/**
 * Writes down what happened to a user, in the transaction in which it does. The user is its actor, also if the call brought no token:
 * it proved by a password or a code whose it is.
 */
export async function noteEvent(
  { db, actor: { address, requestId } }: Visit,
  action: SecurityEvent,
  { id, role }: { readonly id: UserId; readonly role: UserRole },
  detail: Pick<Deed, 'before' | 'after'> = {},
): Promise<void> {
  await record(db, { id, role, address, requestId }, { action, subject: ['user', id], ...detail });
}

/**
 * Writes down that a login or a code failed, or that a new password was asked for: whoever tried is not known to be the user. The subject
 * is a keyed hash if there is no such user.
 */
export async function noteFailure(
  { db, actor: { address, requestId } }: Visit,
  action: 'login.failed' | 'code.failed' | 'password.reset_asked',
  subject: readonly [type: 'user' | 'identifier', id: string],
): Promise<void> {
  await record(db, { id: null, role: 'system', address, requestId }, { action, subject });
}
