/** How sessions end: by their user, or because something about the login has changed. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { endChallenges } from '../../../db/queries/identity/factors/challenges.ts';
import {
  endOtherSessions,
  endSession,
  endSessionOf,
} from '../../../db/queries/identity/sessions/sessions.ts';
import type { SessionId, UserId } from '../../../domain/ids.ts';
import type { SessionEndReason } from '../../../domain/identity/people.ts';
import type { OwnCall } from '../../callers.ts';
import type { Services } from '../../services.ts';
import { noteEvent } from '../events.ts';
import { sessionOfToken } from './refresh.ts';

type Holds = Pick<Services, 'sessions'>;

/** Ends what a user's login had opened, but for one session: sessions, and whatever waits for a code. Needs a transaction. */
export async function endLogins(
  db: EntityManager,
  { sessions }: Holds,
  userId: UserId,
  { kept = null, reason }: { readonly kept?: SessionId | null; readonly reason: SessionEndReason },
): Promise<SessionId[]> {
  sessions.forget(userId);
  // first the codes: a login that is just taking its code is waited for, and its session is there to be ended
  await endChallenges.run(db, { userId });
  const ended = await endOtherSessions(db, userId, kept, reason);
  ended.forEach((id) => sessions.forget(id));
  return ended;
}

/** Ends the session of the call, and that of a refresh token if it is another one of the caller's. */
export async function logOut(call: OwnCall, { sessions }: Holds, refreshToken: string): Promise<void> {
  const { db, caller } = call;
  const other = await sessionOfToken(db, caller.id, refreshToken);
  for (const id of new Set([caller.sessionId, other ?? caller.sessionId])) {
    sessions.forget(id);
    if ((await endSession.run(db, { id, reason: 'logout' })) > 0)
      await noteEvent(call, 'session.ended', caller, { after: { session: id } });
  }
}

/** Ends one of the caller's sessions. Refuses not_found. */
export async function endOwnSession(call: OwnCall, { sessions }: Holds, id: SessionId): Promise<void> {
  const { db, caller, refusal } = call;
  if ((await endSessionOf.run(db, { id, userId: caller.id, reason: 'ended_by_user' })) === 0)
    throw refusal('not_found');
  sessions.forget(id);
  await noteEvent(call, 'session.ended', caller, { after: { session: id } });
}

/** Ends all sessions of the caller but that of the call; answers how many. */
export async function endOwnOtherSessions(call: OwnCall, { sessions }: Holds): Promise<number> {
  const { db, caller } = call;
  const ended = await endOtherSessions(db, caller.id, caller.sessionId, 'ended_by_user');
  ended.forEach((id) => sessions.forget(id));
  for (const session of ended) await noteEvent(call, 'session.ended', caller, { after: { session } });
  return ended.length;
}
