/**
 * A forgotten password. Whether an address has a login shows in nothing but the mail: the same rows are written and one message is
 * sent in any case. The code proves the mailbox and nothing more: second factors are asked for at the next login.
 */
import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../../adapters/cipher.ts';
import { sendMessage } from '../../notifications/messages.ts';
import { User } from '../../../db/schema/identity.ts';
import { endChallenges, lockOwner } from '../../../db/queries/identity/factors/challenges.ts';
import { addressStands, findLogin, type Login } from '../../../db/queries/identity/sessions/logins.ts';
import { resetPasswordHash } from '../../../db/queries/identity/people/people.ts';
import { endOtherSessions } from '../../../db/queries/identity/sessions/sessions.ts';
import { UserId, type ChallengeId } from '../../../domain/ids.ts';
import { network, type Throttles } from '../../platform/throttles.ts';
import type { Services } from '../../services.ts';
import { sendCode, takeCode, type OpenChallenge } from '../factors/challenges.ts';
import { noteEvent, noteFailure, type Origin } from '../events.ts';
import { isKnownFrom } from '../sessions/login.ts';
import { ownWordsOf, refuseWeak } from './password-policy.ts';
import { momentText } from '../sessions/reuse.ts';

/** Codes for one address: asked for from one network, and from everywhere. */
const FROM_ONE_NETWORK = { points: 5, seconds: 3_600 };
const FROM_ANYWHERE = { points: 20, seconds: 3_600 };

/**
 * Counts a wish for a new password and answers whose it is. Refuses too_many_requests. As at login, the limit over all networks does
 * not hold where this user has logged in from before: a stranger cannot keep anybody from a new password.
 */
export async function limitResets(
  db: EntityManager,
  throttles: Throttles,
  address: string,
  email: string,
): Promise<Login | undefined> {
  await throttles.take('reset-network', `${email} ${network(address)}`, FROM_ONE_NETWORK);
  const person = await findLogin(db, email, null);
  if (!isKnownFrom(person, address)) await throttles.take('reset-anywhere', email, FROM_ANYWHERE);
  return person;
}

/** Opens the challenge and writes to the address, whoever reads there. */
export async function openReset(
  em: EntityManager,
  cipher: Cipher,
  origin: Origin,
  email: string,
  person: Login | undefined,
): Promise<OpenChallenge> {
  const nobody = { id: UserId.parse(randomUUID()), locale: 'en' };
  // asked anew, for nobody too: who has moved to another address meanwhile gets no code at the old one
  const { id } = person ?? nobody;
  const stands = await addressStands.first(em, { id, email });
  const known = stands === undefined ? undefined : person;
  const { id: subjectId, locale } = known ?? nobody;
  const recipient = { userId: known?.id ?? null, to: email, locale };
  const opened = await sendCode(em, cipher, {
    purpose: 'reset_password',
    subjectId,
    method: 'email_otp',
    recipient,
    silent: known === undefined,
  });
  if (known === undefined) {
    const message = { ...recipient, channel: 'email' as const };
    await sendMessage(em, cipher, { ...message, template: 'password_reset_unknown', values: {} });
  }
  const identifier = cipher.mac('identifier', email).toString('hex');
  const subject =
    known === undefined
      ? { type: 'identifier' as const, id: identifier }
      : { type: 'user' as const, id: known.id };
  await noteFailure(em, origin, 'password.reset_asked', subject);
  return opened;
}

/**
 * Takes the code and sets the password; all sessions end, the user is told. False where the code is wrong: the attempt counts, so the
 * caller's transaction must commit. Refuses weak_password where it holds the user's own data; the code can then be used again.
 */
export async function resetPasswordByCode(
  em: EntityManager,
  { cipher, sessions }: Pick<Services, 'cipher' | 'sessions'>,
  origin: Origin,
  reset: {
    readonly id: ChallengeId;
    readonly code: string;
    readonly password: string;
    readonly hash: string;
  },
): Promise<boolean> {
  const { id, code, password, hash } = reset;
  const owner = await lockOwner.first(em, { id });
  const challenge = await takeCode(em, cipher, { id, purpose: 'reset_password', code });
  if (challenge === null) {
    // one row for nobody too, so that the work is the same
    const nobody = { type: 'identifier' as const, id: cipher.mac('identifier', id).toString('hex') };
    const subject = owner === undefined ? nobody : { type: 'user' as const, id: owner.id };
    await noteFailure(em, origin, 'code.failed', subject);
    return false;
  }
  const user = await em.findOne(User, UserId.parse(challenge.subjectId));
  if (user === null) return false;
  refuseWeak(password, ownWordsOf(user), '/new_password');
  if ((await resetPasswordHash.run(em, { id: user.id, hash })) === 0) return false;
  // first the codes: a login that is just taking its code is waited for, and its session is there to be ended
  await endChallenges.run(em, { userId: user.id });
  const ended = await endOtherSessions(em, user.id, null, 'password_changed');
  ended.forEach((session) => sessions.forget(session));
  await noteEvent(em, origin, 'password.reset', user, { after: { ended } });
  const recipient = { userId: user.id, channel: 'email' as const, to: user.email, locale: user.locale };
  const values = { at: momentText(new Date()) };
  await sendMessage(em, cipher, { ...recipient, template: 'password_changed', values });
  return true;
}
