/** A user's security events: rows of the audit log, without secrets, codes or tokens. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { record } from '../../db/queries/platform/audit.ts';
import type { UserId } from '../../domain/ids.ts';
import type { UserRole } from '../../domain/identity/people.ts';
import type { Client } from '../callers.ts';

export type SecurityEvent =
  | 'user.registered'
  | 'login.failed'
  | 'login.challenged'
  | 'session.started'
  | 'session.ended'
  | 'session.refresh_reused'
  | 'step_up.asked'
  | 'step_up.verified'
  | 'code.failed'
  | 'phone.verified'
  | 'profile.changed'
  | 'password.changed'
  | 'password.reset'
  | 'contact.change_asked'
  | 'email.changed'
  | 'phone.changed'
  | 'mfa.changed'
  | 'totp.begun'
  | 'totp.enabled'
  | 'totp.removed';

/** What of a request the log keeps. */
export interface Origin {
  readonly client: Client;
  readonly requestId: string;
}

interface Detail {
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
}

/** Writes down what happened to a user, in the transaction in which it does. */
export async function noteEvent(
  em: EntityManager,
  { client, requestId }: Origin,
  action: SecurityEvent,
  person: { readonly id: UserId; readonly role: UserRole },
  detail: Detail = {},
): Promise<void> {
  await record(em, {
    actorId: person.id,
    actorRole: person.role,
    action,
    subjectType: 'user',
    subjectId: person.id,
    requestId,
    address: client.address,
    ...detail,
  });
}

/** A login or a code failed, or a new password was asked for: whoever tried is not known to be the user. The subject is a keyed hash where there is no such user. */
export async function noteFailure(
  em: EntityManager,
  { client, requestId }: Origin,
  action: 'login.failed' | 'code.failed' | 'password.reset_asked',
  subject: { readonly type: 'user' | 'identifier'; readonly id: string },
): Promise<void> {
  await record(em, {
    actorId: null,
    actorRole: 'system',
    action,
    subjectType: subject.type,
    subjectId: subject.id,
    requestId,
    address: client.address,
  });
}
