/** One's own profile and password. */
import { User } from '../../../db/schema/identity.ts';
import { found } from '../../../domain/refusals.ts';
import { now } from '../../../domain/time/now.ts';
import { noteEvent } from '../../../services/identity/events.ts';
import { changePassword as replacePassword } from '../../../services/identity/passwords/change.ts';
import { forUsers } from '../../declaration/operation.ts';
import { patchOf } from '../../wire/rows.ts';
import { MessageResponse } from '../../wire/shapes.ts';
import * as wire from './schemas.ts';
import { profileView } from './views.ts';

export const getProfile = forUsers({
  id: 'getProfile',
  area: 'Identity',
  title: 'Get current user profile',
  description: 'The profile of the caller.',
  method: 'GET',
  path: '/v1/users/me',
  effect: 'read',
  status: 200,
  answer: wire.UserProfileDetails,
  refuses: [],
  async handle({ caller, db }) {
    return profileView(found(await db.findOne(User, caller.id)));
  },
});

export const updateProfile = forUsers({
  id: 'updateProfile',
  area: 'Identity',
  title: 'Update user profile',
  description:
    'Changes name, birth, country, address and language. Email address and phone number have operations of their own.',
  method: 'PATCH',
  path: '/v1/users/me',
  effect: 'transaction',
  body: wire.UserProfileUpdate,
  status: 200,
  answer: wire.UserProfileDetails,
  refuses: [],
  async handle(request, { sessions }) {
    const { caller, body, db } = request;
    const user = found(await db.findOne(User, caller.id));
    db.assign(user, { ...patchOf(body), updatedAt: now() });
    sessions.forget(caller.id);
    // which fields, not what stands in them: the log outlives the person's data
    await noteEvent(request, 'profile.changed', caller, { after: { fields: Object.keys(body) } });
    return profileView(user);
  },
});

export const changePassword = forUsers({
  id: 'changePassword',
  area: 'Identity',
  title: 'Change password',
  description: 'Replaces the password, ends all other sessions of the user, and tells them by email.',
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
  async handle(request, services) {
    const { current_password: current, new_password: next } = request.body;
    await replacePassword(request, services, { current, next });
    return { message: 'The password is changed. All other sessions have ended.' };
  },
});

/** In the order of the documentation. */
export const operations = [getProfile, updateProfile, changePassword];
