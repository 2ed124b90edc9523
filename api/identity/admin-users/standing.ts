/** Who may come in, and as what: blocking, letting in again, becoming an administrator. Sessions end in the same transaction. */
import { sendMessage } from '../../../services/notifications/messages.ts';
import { record } from '../../../db/queries/platform/audit.ts';
import { endChallenges } from '../../../db/queries/identity/factors/challenges.ts';
import { promote, setStatus } from '../../../db/queries/identity/people/permissions.ts';
import { endOtherSessions } from '../../../db/queries/identity/sessions/sessions.ts';
import type { UserId } from '../../../domain/ids.ts';
import type { SessionEndReason } from '../../../domain/identity/people.ts';
import { momentText } from '../../../services/identity/sessions/reuse.ts';
import type { Services } from '../../../services/services.ts';
import { adminAct, hold, type Acting } from './act.ts';
import { someUser } from './person.ts';

type Ending = Pick<Services, 'sessions'>;

/** Keeps a person out from now on. Refuses not_found, same_person, permission_not_held. */
export async function block(acting: Acting, services: Ending, id: UserId, reason: string): Promise<void> {
  const verdict = await setStatus.one(acting.db, { actor: acting.caller.id, target: id, wanted: 'blocked' });
  hold(verdict);
  const { before, after } = verdict;
  if (before === after) return;
  const ended = await endSessions(acting, services, id, 'user_blocked');
  const change = { before: { status: before }, after: { status: after, ended_sessions: ended } };
  await record(acting.db, { ...adminAct(acting, 'user.blocked', id), ...change, reason });
}

/** Lets a person in again; the sessions from before stay ended. Refuses not_found, same_person, permission_not_held. */
export async function unblock(
  acting: Acting,
  { sessions }: Ending,
  id: UserId,
  reason: string,
): Promise<void> {
  const verdict = await setStatus.one(acting.db, { actor: acting.caller.id, target: id, wanted: 'active' });
  hold(verdict);
  const { before, after } = verdict;
  if (before === after) return;
  sessions.forget(id);
  const change = { before: { status: before }, after: { status: after } };
  await record(acting.db, { ...adminAct(acting, 'user.unblocked', id), ...change, reason });
}

/**
 * Makes a customer an administrator. Sessions end, because an administrator's are shorter and begin with a second factor.
 * Refuses not_found, same_person, permission_not_held, already_an_admin, conflict.
 */
export async function makeAdmin(
  acting: Acting,
  services: Pick<Services, 'sessions' | 'cipher'>,
  id: UserId,
  actions: readonly string[],
): Promise<void> {
  const { db } = acting;
  hold(await promote.one(db, { actor: acting.caller.id, target: id, actions }));
  const ended = await endSessions(acting, services, id, 'role_changed');
  const change = {
    before: { role: 'customer', actions: [] },
    after: { role: 'admin', actions, ended_sessions: ended },
  };
  await record(db, { ...adminAct(acting, 'user.promoted', id), ...change });
  const { email, locale } = await someUser(db, id);
  const recipient = { userId: id, channel: 'email' as const, to: email, locale };
  const values = { at: momentText(new Date()) };
  await sendMessage(db, services.cipher, { ...recipient, template: 'admin_promoted', values });
}

/** Ends all sessions, and whatever waits for a code; answers how many sessions. */
async function endSessions(
  { db }: Acting,
  { sessions }: Ending,
  id: UserId,
  why: SessionEndReason,
): Promise<number> {
  sessions.forget(id);
  // first the codes: this waits for a login that is just taking its code, and then its session is there to be ended
  await endChallenges.run(db, { userId: id });
  const ended = await endOtherSessions(db, id, null, why);
  ended.forEach((session) => {
    sessions.forget(session);
  });
  return ended.length;
}
