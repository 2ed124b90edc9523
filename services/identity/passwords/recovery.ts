/**
 * A forgotten password. Whether an address has a login shows in nothing but the mail: the same rows are written and one message is
 * sent in any case. The code proves the mailbox and nothing more: second factors are asked for at the next login.
 */
import { randomUUID } from 'node:crypto';
import { notify } from '../../notifications/events.ts';
import { User } from '../../../db/schema/identity.ts';
import { lockOwner } from '../../../db/queries/identity/factors/challenges.ts';
import { forgetGuesses } from '../../../db/queries/identity/factors/guesses.ts';
import { addressStands, findLogin, type Login } from '../../../db/queries/identity/sessions/logins.ts';
import { resetPasswordHash } from '../../../db/queries/identity/people/people.ts';
import { transaction } from '../../../db/transaction.ts';
import { UserId, type ChallengeId } from '../../../domain/ids.ts';
import { network } from '../../platform/throttles.ts';
import type { Visit } from '../../callers.ts';
import type { Services } from '../../services.ts';
import { sendCode, takeCode, type OpenChallenge } from '../factors/challenges.ts';
import { evenTime } from '../even-time.ts';
import { noteEvent, noteFailure } from '../events.ts';
import { tellUser } from '../notices.ts';
import { endLogins } from '../sessions/endings.ts';
import { isKnownFrom } from '../sessions/password-check.ts';
import { ownWordsOf, refuseWeak } from './password-policy.ts';

/** Codes for one address: asked for from one network, and from everywhere. */
const FROM_ONE_NETWORK = { points: 5, seconds: 3_600 };
const FROM_ANYWHERE = { points: 20, seconds: 3_600 };

/** Sends a code for a new password, or a mail that there is no login. Takes the same time for both. Opens its transaction itself. */
export async function askForReset(
  visit: Visit<'too_many_requests'>,
  services: Services,
  email: string,
): Promise<OpenChallenge> {
  const even = evenTime();
  const person = await limitResets(visit, services, email);
  const opened = await transaction(visit.db, (db) => openReset({ ...visit, db }, services, email, person));
  await even;
  return opened;
}

/**
 * Counts a wish for a new password and answers whose it is. As at login, the limit over all networks does not hold where this user has
 * logged in from before: a stranger cannot keep anybody from a new password.
 */
async function limitResets(
  visit: Visit<'too_many_requests'>,
  { throttles }: Services,
  email: string,
): Promise<Login | undefined> {
  const { address } = visit.client;
  await throttles.take(visit, 'reset-network', `${email} ${network(address)}`, FROM_ONE_NETWORK);
  const person = await findLogin(visit.db, email, null);
  if (!isKnownFrom(person, address)) await throttles.take(visit, 'reset-anywhere', email, FROM_ANYWHERE);
  return person;
}

/** Opens the challenge and writes to the address, whoever reads there. */
async function openReset(
  visit: Visit,
  { cipher }: Services,
  email: string,
  person: Login | undefined,
): Promise<OpenChallenge> {
  const { db } = visit;
  const nobody = { id: UserId.parse(randomUUID()), locale: 'en' };
  // asked anew, for nobody too: who has moved to another address meanwhile gets no code at the old one
  const { id } = person ?? nobody;
  const stands = await addressStands.first(db, { id, email });
  const known = stands === undefined ? undefined : person;
  const { id: subjectId, locale } = known ?? nobody;
  const recipient = { userId: known?.id ?? null, to: email, locale };
  const asked = { purpose: 'reset_password', method: 'email_otp', subjectId, recipient } as const;
  const opened = await sendCode(db, cipher, { ...asked, silent: known === undefined });
  if (known === undefined) {
    const notice = { ...recipient, to: { email }, type: 'password_reset_unknown' } as const;
    await notify(db, cipher, { ...notice, values: {} });
  }
  const identifier = cipher.mac('identifier', email).toString('hex');
  const subject = known === undefined ? (['identifier', identifier] as const) : (['user', known.id] as const);
  await noteFailure(visit, 'password.reset_asked', subject);
  return opened;
}

interface Reset {
  readonly id: ChallengeId;
  readonly code: string;
  readonly password: string;
}

/**
 * Takes the code and sets the password; all sessions end, the user is told. Refuses weak_password if it holds the user's own data; the
 * code can then be used again. Opens its transaction itself: hashing takes its time, and none should wait for it.
 */
export async function resetPassword(
  visit: Visit<'invalid_code' | 'weak_password'>,
  services: Services,
  reset: Reset,
): Promise<void> {
  // by what everybody can know first: the user's own data are looked at once the code has proven whose they are
  refuseWeak(visit, reset.password, null, '/new_password');
  const hash = await services.passwords.hash(reset.password);
  const done = await transaction(visit.db, (db) =>
    resetByCode({ ...visit, db }, services, { ...reset, hash }),
  );
  if (!done) throw visit.refusal('invalid_code');
}

/** False if the code is wrong: the attempt counts, so the transaction must commit. */
async function resetByCode(
  visit: Visit<'weak_password'>,
  { cipher, sessions }: Services,
  { id, code, password, hash }: Reset & { readonly hash: string },
): Promise<boolean> {
  const { db } = visit;
  const owner = await lockOwner.first(db, { id });
  const challenge = await takeCode(db, cipher, { id, purpose: 'reset_password', code });
  if (challenge === null) {
    // one row for nobody too, so that the work is the same
    const nobody = ['identifier', cipher.mac('identifier', id).toString('hex')] as const;
    await noteFailure(visit, 'code.failed', owner === undefined ? nobody : ['user', owner.id]);
    return false;
  }
  const user = await db.findOne(User, UserId.parse(challenge.subjectId));
  if (user === null) return false;
  refuseWeak(visit, password, ownWordsOf(user), '/new_password');
  if ((await resetPasswordHash.run(db, { id: user.id, hash })) === 0) return false;
  await forgetGuesses.run(db, { userId: user.id });
  const ended = await endLogins(db, { sessions }, user.id, { reason: 'password_changed' });
  await noteEvent(visit, 'password.reset', user, { after: { ended } });
  const { id: userId, email, locale } = user;
  await tellUser(db, cipher, 'password_changed', { userId, email, locale });
  return true;
}
