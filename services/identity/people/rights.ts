/** What administrators do with people: block them, let them in again, promote them, grant and revoke actions. The database judges. */
import {
  grantPermissions,
  promote,
  revokePermissions,
  setStatus,
  standingOf,
} from '../../../db/queries/identity/people/permissions.ts';
import { adminUser } from '../../../db/queries/identity/people/admin-users.ts';
import { record } from '../../../db/queries/platform/audit.ts';
import { empowers, letsIn } from '../../../domain/identity/deciding-actions.ts';
import { UserId } from '../../../domain/ids.ts';
import { found, type FrameCode, type RefusalCode } from '../../../domain/refusals.ts';
import type { AdminCall, Refusing } from '../../callers.ts';
import { fourEyes, type Place } from '../../platform/four-eyes.ts';
import type { PermissionAction } from '../../platform/permission.ts';
import type { Services } from '../../services.ts';
import { tellUser } from '../notices.ts';
import { endLogins } from '../sessions/endings.ts';

type Judged = 'same_person' | 'permission_not_held';

/** Whoever is given an action that decides waits for a second administrator, who is somebody else. */
export const empoweringFourEyes = fourEyes({
  resource: ({ params }: Place<{ readonly id: UserId }>) => ['user', params.id],
  state: async (db, { params }) => (await standingOf.first(db, params)) ?? null,
  loosens: empowers,
  shown: ({ role, actions }) => ({ role, actions }),
  concerns: ({ id }) => id,
});

/** An administrator with an action that decides, who was blocked, is let in again by two. */
export const lettingInFourEyes = fourEyes({
  resource: ({ params }: Place<{ readonly id: UserId }>) => ['user', params.id],
  state: async (db, { params }) => (await standingOf.first(db, params)) ?? null,
  loosens: letsIn,
  shown: ({ role, status, actions }) => ({ role, status, actions }),
  concerns: ({ id }) => id,
});

/**
 * An administrator who is invited with an action that decides waits for a second administrator. Nobody has the login before, and it is
 * shown whole: whose mailbox it is decides whether this is another person.
 */
export const invitingFourEyes = fourEyes({
  resource: ({ newId }: Place<undefined>) => ['user', newId],
  state: async (db, { newId }) => (await standingOf.first(db, { id: UserId.parse(newId) })) ?? null,
  loosens: empowers,
  shown: ({ email, firstName, lastName, role, actions }) => ({
    ...{ invited: `${firstName} ${lastName}`, login: email },
    ...{ role, actions },
  }),
});

/** Keeps a person out from now on, which ends their sessions, or lets them in again. */
export async function setStanding(
  call: AdminCall<Judged>,
  services: Services,
  target: UserId,
  { status: wanted, reason }: { readonly status: 'active' | 'blocked'; readonly reason: string },
): Promise<void> {
  const { db, actor } = call;
  const verdict = await setStatus.one(db, { actor: actor.id, target, wanted });
  throwIfRefused(call, verdict);
  const { before, after } = verdict;
  if (before === after) return;
  services.sessions.forget(target);
  const ended =
    wanted === 'blocked'
      ? { ended_sessions: (await endLogins(db, services, target, { reason: 'user_blocked' })).length }
      : {};
  await record(db, actor, {
    action: wanted === 'blocked' ? 'user.blocked' : 'user.unblocked',
    subject: ['user', target],
    before: { status: before },
    after: { status: after, ...ended },
    reason,
  });
}

/** Makes a customer an administrator. Sessions end, because an administrator's are shorter and begin with a second factor. */
export async function makeAdmin(
  call: AdminCall<Judged | 'already_an_admin' | 'conflict'>,
  services: Services,
  target: UserId,
  actions: readonly string[],
): Promise<void> {
  const { db, actor } = call;
  throwIfRefused(call, await promote.one(db, { actor: actor.id, target, actions }));
  const ended = await endLogins(db, services, target, { reason: 'role_changed' });
  await record(db, actor, {
    action: 'user.promoted',
    subject: ['user', target],
    before: { role: 'customer', actions: [] },
    after: { role: 'admin', actions, ended_sessions: ended.length },
  });
  const user = found(await adminUser.first(db, { id: target }));
  await tellUser(db, services.cipher, 'admin_promoted', { ...user, userId: target });
}

/** Gives an administrator actions that the caller holds. */
export async function grant(
  call: AdminCall<Judged | 'not_an_admin'>,
  { sessions }: Services,
  target: UserId,
  actions: readonly string[],
): Promise<void> {
  const { db, actor } = call;
  const verdict = await grantPermissions.one(db, { actor: actor.id, target, actions });
  throwIfRefused(call, verdict);
  sessions.forget(target);
  const [before, after] = [{ actions: verdict.before }, { actions: verdict.after }];
  await record(db, actor, { action: 'permissions.granted', subject: ['user', target], before, after });
}

/** Takes actions away from somebody; those that are not held do not matter. */
export async function revoke(
  call: AdminCall<Judged>,
  { sessions }: Services,
  target: UserId,
  actions: readonly string[],
): Promise<void> {
  const { db, actor } = call;
  const verdict = await revokePermissions.one(db, { actor: actor.id, target, actions });
  throwIfRefused(call, verdict);
  sessions.forget(target);
  const [before, after] = [{ actions: verdict.before }, { actions: verdict.after }];
  await record(db, actor, { action: 'permissions.revoked', subject: ['user', target], before, after });
}

/** Refuses invalid_request, pointing at each action that is not in the catalogue. */
export function refuseUnknown(
  { refusal }: Refusing<never>,
  wished: readonly string[],
  catalogue: readonly PermissionAction[],
  pointer: string,
): void {
  const errors = wished.flatMap((action, index) =>
    catalogue.some((known) => known.action === action)
      ? []
      : {
          pointer: `${pointer}/${String(index)}`,
          code: 'unknown_action',
          detail: 'is not in the catalogue of actions',
        },
  );
  if (errors.length > 0) throw refusal('invalid_request', { errors });
}

/** Turns the database's no into a refusal that names the missing action. */
function throwIfRefused<Code extends RefusalCode>(
  { refusal }: Refusing<Code>,
  verdict: { readonly refusal: Code | FrameCode | null; readonly missing: string | null },
): void {
  if (verdict.refusal === null) return;
  const isMissing = verdict.refusal === 'permission_not_held' && verdict.missing !== null;
  throw refusal(verdict.refusal, isMissing ? { members: { permission: verdict.missing } } : {});
}
