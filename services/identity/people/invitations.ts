/**
 * A new administrator is invited by mail and chooses the password: nobody else ever knows it. The token is 256 random bits,
 * kept as its hash, valid once and for three days; the login is closed until it is taken.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../../adapters/cipher.ts';
import { notify } from '../../notifications/events.ts';
import { record } from '../../../db/queries/platform/audit.ts';
import {
  acceptInvitation as takeInvitation,
  insertInvited,
  invitedBy,
  lockInvited,
  saveInvitation,
  type InvitedAdmin,
} from '../../../db/queries/identity/people/invitations.ts';
import { grantPermissions } from '../../../db/queries/identity/people/permissions.ts';
import type { UserId } from '../../../domain/ids.ts';
import { transaction } from '../../../db/transaction.ts';
import type { AdminCall, Visit } from '../../callers.ts';
import type { Services } from '../../services.ts';
import { noteEvent } from '../events.ts';
import { refuseWeak } from '../passwords/password-policy.ts';

const DAYS = 3;
const DAY_SECONDS = 86_400;
const TOKEN_BYTES = 32;

/** Makes an administrator who is yet to come, with actions that the caller may grant, and sends the invitation. */
export async function invite(
  call: AdminCall<'login_exists' | 'permission_not_held'>,
  { cipher }: Services,
  invited: InvitedAdmin,
  actions: readonly string[],
): Promise<void> {
  const { db, actor, refusal } = call;
  if ((await insertInvited.run(db, invited)) === 0) throw refusal('login_exists');
  await sendInvitation(db, cipher, actor.id, invited);
  if (actions.length > 0) {
    const verdict = await grantPermissions.one(db, { actor: actor.id, target: invited.id, actions });
    if (verdict.refusal === 'permission_not_held')
      throw refusal('permission_not_held', { members: { permission: verdict.missing } });
    if (verdict.refusal !== null) throw new Error(`an invited administrator was refused: ${verdict.refusal}`);
  }
  const after = { role: 'admin', status: 'pending', actions };
  await record(db, actor, { action: 'user.invited', subject: ['user', invited.id], after });
}

/** Sends another invitation to an administrator who has not accepted yet; the one before stops working. Refuses conflict otherwise. */
export async function inviteAgain(
  { db, actor, refusal }: AdminCall<'conflict'>,
  { cipher }: Services,
  id: UserId,
): Promise<void> {
  const invited = await lockInvited.first(db, { id });
  if (invited === undefined) throw refusal('conflict');
  await sendInvitation(db, cipher, actor.id, invited);
  await record(db, actor, { action: 'user.invited', subject: ['user', id], after: { again: true } });
}

/** Sets the password and opens the login. Opens its transaction itself: hashing takes its time, and none should wait for it. */
export async function acceptInvitation(
  visit: Visit<'invalid_code' | 'weak_password'>,
  { passwords }: Services,
  { code, password }: { readonly code: string; readonly password: string },
): Promise<void> {
  const tokenHash = createHash('sha256').update(code).digest();
  const invited = await invitedBy.first(visit.db, { tokenHash });
  if (invited === undefined) throw visit.refusal('invalid_code');
  refuseWeak(visit, password, { ...invited, phone: null, dateOfBirth: null }, '/password');
  const passwordHash = await passwords.hash(password);
  await transaction(visit.db, async (db) => {
    const { person: id } = await takeInvitation.one(db, { tokenHash, passwordHash });
    // somebody was quicker
    if (id === null) throw visit.refusal('invalid_code');
    const change = { before: { status: 'pending' }, after: { status: 'active' } };
    await noteEvent({ ...visit, db }, 'user.invitation_accepted', { id, role: 'admin' }, change);
  });
}

/** What is kept of the code is a plain hash: there is nothing to guess. */
async function sendInvitation(
  db: EntityManager,
  cipher: Cipher,
  by: UserId,
  { id: userId, email, locale }: InvitedAdmin,
): Promise<void> {
  const code = randomBytes(TOKEN_BYTES).toString('base64url');
  const tokenHash = createHash('sha256').update(code).digest();
  await saveInvitation.run(db, { userId, invitedBy: by, tokenHash, seconds: DAYS * DAY_SECONDS });
  const values = { code, days: String(DAYS) };
  await notify(db, cipher, { userId, to: { email }, type: 'admin_invited', locale, values });
}
