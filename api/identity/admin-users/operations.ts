/** People at the back office: find, count, look into, correct, block. */
import { LockMode } from '@mikro-orm/core';
import { z } from 'zod';
import { User } from '../../../db/schema/identity.ts';
import { record } from '../../../db/queries/platform/audit.ts';
import { allUsers, countUsers } from '../../../db/queries/identity/people/admin-users.ts';
import { UserId } from '../../../domain/ids.ts';
import { found } from '../../../domain/refusals.ts';
import { now } from '../../../domain/time/now.ts';
import { lettingInFourEyes, setStanding } from '../../../services/identity/people/rights.ts';
import { keysetById } from '../../wire/cursor.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { UserProfileUpdate } from '../users/schemas.ts';
import { patchOf } from '../../wire/rows.ts';
import { CountResponse } from '../../wire/shapes.ts';
import { filterOf } from './filter.ts';
import * as wire from './schemas.ts';
import { maskedUser, maskedUserView, openUserView, profileOf, someUser } from './views.ts';

const byId = keysetById('users', UserId);
const params = z.strictObject({ id: UserId });

export const listUsers = forAdmins({
  id: 'listUsers',
  area: 'Admin identity',
  title: 'List users (admin)',
  description:
    'People, newest first, with masked contact data. Callers who hold `users:unmask` find email addresses and phone numbers by their parts, others by the whole of them.',
  method: 'GET',
  path: '/v1/admin/users',
  effect: 'read',
  permission: 'users:read',
  query: byId.query(wire.narrowing),
  status: 200,
  answer: wire.AdminUserList,
  refuses: [],
  async handle({ caller, db, query }) {
    const filter = filterOf(query, caller);
    return byId.page(query, (before, most) => allUsers.all(db, { filter, before, most }), maskedUserView);
  },
});

export const countAllUsers = forAdmins({
  id: 'countUsers',
  area: 'Admin identity',
  title: 'Count users (admin)',
  description: 'How many people there are, with the filters of the list.',
  method: 'GET',
  path: '/v1/admin/users/count',
  effect: 'read',
  permission: 'users:read',
  query: z.strictObject(wire.narrowing),
  status: 200,
  answer: CountResponse,
  refuses: [],
  async handle({ caller, db, query }) {
    const found = await countUsers.all(db, filterOf(query, caller));
    return {
      count: found.reduce((sum, { count }) => sum + count, 0),
      by_status: Object.fromEntries(found.map((row) => [row.status, row.count])),
    };
  },
});

export const getUser = forAdmins({
  id: 'getUser',
  area: 'Admin identity',
  title: 'Get user details (admin)',
  description:
    'One person, with second factors, sessions and the state of their identification. Contact data is masked; `POST /v1/admin/users/{id}/reveal` shows it.',
  method: 'GET',
  path: '/v1/admin/users/{id}',
  effect: 'read',
  permission: 'users:read',
  params,
  status: 200,
  answer: wire.AdminUser,
  refuses: [],
  handle: ({ params: { id }, db }) => maskedUser(db, id),
});

export const revealUser = forAdmins({
  id: 'revealUser',
  area: 'Admin identity',
  title: 'Reveal user details',
  description: 'One person without masks. Each call is written to the audit log with its reason.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/admin/users/{id}/reveal',
  effect: 'transaction',
  permission: 'users:unmask',
  params,
  body: wire.RevealRequest,
  status: 200,
  answer: wire.AdminUser,
  refuses: [],
  beyond: true,
  async handle(request) {
    const { params: at, body, db } = request;
    const user = await someUser(db, at.id);
    await record(db, request.actor, {
      action: 'user.revealed',
      subject: ['user', at.id],
      reason: body.reason,
    });
    return openUserView(user);
  },
});

export const updateUser = forAdmins({
  id: 'updateUser',
  area: 'Admin identity',
  title: 'Update user profile (admin)',
  description:
    'Corrects name, birth, country, address and language. The email address and the phone number are logins: only their owner changes them.',
  method: 'PATCH',
  path: '/v1/admin/users/{id}',
  effect: 'transaction',
  permission: 'users:write',
  params,
  body: UserProfileUpdate,
  status: 200,
  answer: wire.AdminUser,
  refuses: [],
  async handle(request, { sessions }) {
    const { params: at, body, db, actor } = request;
    const user = found(await db.findOne(User, at.id, { lockMode: LockMode.PESSIMISTIC_WRITE }));
    // nothing is asked for, so nothing is changed or written down
    if (Object.keys(body).length > 0) {
      const before = profileOf(user, body);
      db.assign(user, { ...patchOf(body), updatedAt: now() });
      await db.flush();
      sessions.forget(at.id);
      const after = profileOf(user, body);
      await record(db, actor, { action: 'user.updated', subject: ['user', at.id], before, after });
    }
    return maskedUser(db, at.id);
  },
});

export const setUserStatus = forAdmins({
  id: 'setUserStatus',
  area: 'Admin identity',
  title: 'Block or unblock user',
  description:
    'Blocks a person, which ends all their sessions at once, or lets them in again. Only callers who may change permissions can block an administrator, and nobody can block themselves. To let an administrator in who can decide waits for a second one.',
  method: 'PATCH',
  path: '/v1/admin/users/{id}/status',
  effect: 'transaction',
  permission: 'users:write',
  params,
  body: wire.UserStatusUpdate,
  status: 200,
  answer: wire.AdminUser,
  refuses: ['same_person', 'permission_not_held'],
  fourEyes: lettingInFourEyes,
  async handle(request, services) {
    const { params: at, body, db } = request;
    await setStanding(request, services, at.id, body);
    return maskedUser(db, at.id);
  },
});

/** In the order of the documentation. */
export const operations = [listUsers, countAllUsers, getUser, revealUser, updateUser, setUserStatus];
