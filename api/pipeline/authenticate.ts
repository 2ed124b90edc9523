/** Step: who is calling, by the bearer token of the Authorization header; two operations also take the cookie of the sign-in page. */
import type { AccessRule, Operation } from '../declaration/operation.ts';
import type { Admin, User } from '../../services/callers.ts';
import type { Authenticated, Sessions } from '../../services/identity/sessions/sessions.ts';
import type { Reading } from '../../services/identity/sessions/reading.ts';
import { Refusal } from '../../domain/refusals.ts';

export type Caller = User | Admin | null;

/** Answers the caller of an operation for users or admins, null for the others. Refuses unauthenticated. */
export async function authenticate(
  operation: Operation,
  {
    authorization,
    reading,
  }: { readonly authorization: string | undefined; readonly reading: Reading | null },
  sessions: Sessions,
): Promise<Caller> {
  const { access } = operation;
  if (access.auth === 'public' || access.auth === 'signature') return null;
  const token = /^Bearer ([\w.~+/-]+=*)$/i.exec(authorization ?? '')?.[1];
  const byCookie = authorization === undefined && takesCookie(access) ? reading : null;
  if (token === undefined && byCookie === null) throw new Refusal('unauthenticated');
  const session =
    token === undefined ? byCookie && (await sessions.behind(byCookie)) : await sessions.authenticate(token);
  if (session === null) throw new Refusal('unauthenticated', { detail: INVALID_TOKEN });
  return callerOf(session);
}

/** Told apart from a missing token so that RFC 6750 §3.1's `invalid_token` can be answered. */
export const INVALID_TOKEN = 'The bearer token is expired or not valid here, or its session has ended.';

function callerOf({ id, sessionId, role, amr, locale, permissions }: Authenticated): User | Admin {
  const person = { id, sessionId, amr, locale };
  return role === 'admin'
    ? { kind: 'admin', role, permissions, ...person }
    : { kind: 'user', role, ...person };
}

function takesCookie(access: AccessRule): boolean {
  return access.auth === 'admin' && (access.cookie === 'taken' || access.cookie === 'ends');
}
