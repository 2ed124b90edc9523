/** One's own profile and password. */
import { User } from '../../../db/schema/identity.ts';
import { sendMessage } from '../../../services/notifications/messages.ts';
import { endChallenges } from '../../../db/queries/identity/factors/challenges.ts';
import { passwordHashOf, replacePasswordHash } from '../../../db/queries/identity/people/people.ts';
import { endOtherSessions } from '../../../db/queries/identity/sessions/sessions.ts';
import { noteEvent } from '../../../services/identity/events.ts';
import { ownWordsOf, refuseWeak } from '../../../services/identity/passwords/password-policy.ts';
import { momentText } from '../../../services/identity/sessions/reuse.ts';
import { forUsers } from '../../declaration/operation.ts';
import { MessageResponse } from '../../wire/shapes.ts';
import * as wire from './schemas.ts';
import { profileView } from './views.ts';
import { transaction } from '../../../db/transaction.ts';

const GUESSES_AT_ONES_PASSWORD = { points: 10, seconds: 3_600 };

export const getProfile = forUsers({
  id: 'getProfile',
  area: 'Identity',
  title: 'Get current user profile',
  description: 'Who am I.',
  method: 'GET',
  path: '/v1/users/me',
  effect: 'read',
  status: 200,
  answer: wire.UserProfileDetails,
  refuses: [],
  async handle({ caller, db, refusal }) {
    const user = await db.findOne(User, caller.id);
    if (user === null) throw refusal('not_found');
    return profileView(user);
  },
});

export const updateProfile = forUsers({
  id: 'updateProfile',
  area: 'Identity',
  title: 'Update user profile',
  description:
    'Changes what the user may say of themselves; never role, status, email or phone. Fields that are left out stay as they are.',
  method: 'PATCH',
  path: '/v1/users/me',
  effect: 'transaction',
  body: wire.UserProfileUpdate,
  status: 200,
  answer: wire.UserProfileDetails,
  refuses: [],
  async handle({ caller, body, client, requestId, db, refusal }, { sessions }) {
    const user = await db.findOne(User, caller.id);
    if (user === null) throw refusal('not_found');
    const { first_name, last_name, date_of_birth, country, address, locale } = body;
    if (first_name !== undefined) user.firstName = first_name;
    if (last_name !== undefined) user.lastName = last_name;
    if (date_of_birth !== undefined) user.dateOfBirth = date_of_birth;
    if (country !== undefined) user.country = country;
    if (address !== undefined) user.address = address;
    if (locale !== undefined) user.locale = locale;
    user.updatedAt = new Date();
    sessions.forget(caller.id);
    // which fields, not what stands in them: the log outlives the person's data
    await noteEvent(db, { client, requestId }, 'profile.changed', caller, {
      after: { fields: Object.keys(body) },
    });
    return profileView(user);
  },
});

export const changePassword = forUsers({
  id: 'changePassword',
  area: 'Identity',
  title: 'Change password',
  description:
    'Replaces the password; all other sessions end. Ends all other sessions of the user and tells them by email.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/users/me/password',
  stepUp: true,
  // hashing takes its time, and no transaction should wait for it
  effect: 'own_transactions',
  body: wire.PasswordChange,
  status: 200,
  answer: MessageResponse,
  refuses: ['invalid_credentials', 'weak_password', 'too_many_requests', 'conflict'],
  async handle({ caller, body, client, requestId, db, refusal }, { cipher, passwords, sessions, throttles }) {
    await throttles.take('own-password', caller.id, GUESSES_AT_ONES_PASSWORD);
    const user = await db.findOne(User, caller.id);
    if (user === null) throw refusal('not_found');
    const from = await passwordHashOf(db, caller.id);
    if (from === null || !(await passwords.verify(from, body.current_password)))
      throw refusal('invalid_credentials');
    refuseWeak(body.new_password, ownWordsOf(user), '/new_password');
    const to = await passwords.hash(body.new_password);
    return transaction(db, async (em) => {
      if ((await replacePasswordHash.run(em, { id: caller.id, from, to })) === 0) throw refusal('conflict');
      // first the codes: a login that is just taking its code is waited for, and its session is there to be ended
      await endChallenges.run(em, { userId: caller.id });
      const ended = await endOtherSessions(em, caller.id, caller.sessionId, 'password_changed');
      ended.forEach((id) => sessions.forget(id));
      await noteEvent(em, { client, requestId }, 'password.changed', caller, { after: { ended } });
      const { email, locale } = user;
      const recipient = { userId: caller.id, channel: 'email' as const, to: email, locale };
      const values = { at: momentText(new Date()) };
      await sendMessage(em, cipher, { ...recipient, template: 'password_changed', values });
      return { message: 'The password is changed. All other sessions have ended.' };
    });
  },
});

/** In the order of the documentation. */
export const operations = [getProfile, updateProfile, changePassword];
