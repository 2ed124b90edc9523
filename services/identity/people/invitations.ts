/**
 * A new administrator is invited by mail and chooses the password: nobody else ever knows it. The token is 256 random bits,
 * kept as its hash, valid once and for three days; the login is closed until it is taken.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../../adapters/cipher.ts';
import { sendMessage } from '../../notifications/messages.ts';
import { record } from '../../../db/queries/platform/audit.ts';
import {
  acceptInvitation,
  insertInvited,
  saveInvitation,
  type InvitedAdmin,
} from '../../../db/queries/identity/people/invitations.ts';
import { grantPermissions, type Verdict } from '../../../db/queries/identity/people/permissions.ts';
import type { UserId } from '../../../domain/ids.ts';
import { Refusal } from '../../../domain/refusals.ts';
import type { Origin } from '../events.ts';

const DAYS = 3;
const DAY_SECONDS = 86_400;
const TOKEN_BYTES = 32;

/** Makes an administrator who is yet to come, with what `by` may grant, and sends the invitation. Refuses login_exists. */
export async function invite(
  em: EntityManager,
  cipher: Cipher,
  by: UserId,
  invited: InvitedAdmin,
  actions: readonly string[],
): Promise<Verdict> {
  if ((await insertInvited.run(em, invited)) === 0) throw new Refusal('login_exists');
  await sendInvitation(em, cipher, by, invited);
  if (actions.length === 0) return { refusal: null, missing: null };
  return grantPermissions.one(em, { actor: by, target: invited.id, actions });
}

/** Sends an invitation; the one before is worth nothing from then on. */
export async function sendInvitation(
  em: EntityManager,
  cipher: Cipher,
  by: UserId,
  { id: userId, email, locale }: InvitedAdmin,
): Promise<void> {
  const code = randomBytes(TOKEN_BYTES).toString('base64url');
  const tokenHash = tokenHashOf(code);
  await saveInvitation.run(em, { userId, invitedBy: by, tokenHash, seconds: DAYS * DAY_SECONDS });
  const recipient = { userId, channel: 'email' as const, to: email, locale };
  await sendMessage(em, cipher, {
    ...recipient,
    template: 'admin_invited',
    values: { code, days: String(DAYS) },
  });
}

/** What is kept of a token: nothing to guess, so no slow hash. */
export function tokenHashOf(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}

/** Opens the login, in the caller's transaction. Refuses invalid_code where somebody was quicker. */
export async function acceptAs(
  em: EntityManager,
  taken: { readonly tokenHash: Buffer; readonly passwordHash: string },
  { client, requestId }: Origin,
): Promise<void> {
  const { person: id } = await acceptInvitation.one(em, taken);
  if (id === null) throw new Refusal('invalid_code');
  await record(em, {
    actorId: id,
    actorRole: 'admin',
    action: 'user.invitation_accepted',
    subjectType: 'user',
    subjectId: id,
    before: { status: 'pending' },
    after: { status: 'active' },
    requestId,
    address: client.address,
  });
}
