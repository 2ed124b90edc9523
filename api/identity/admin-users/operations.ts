/** People at the back office: find, count, look into, correct, block. */
import { LockMode } from '@mikro-orm/core';
import { z } from 'zod';
import { User } from '../../../db/schema/identity.ts';
import { record } from '../../../db/queries/platform/audit.ts';
import { allUsers, countUsers } from '../../../db/queries/identity/people/admin-users.ts';
import { UserId } from '../../../domain/ids.ts';
import { Refusal } from '../../../domain/refusals.ts';
import { keyset } from '../../wire/cursor.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { UserProfileUpdate } from '../users/schemas.ts';
import { CountResponse, pageQuery } from '../../wire/shapes.ts';
import { adminAct } from './act.ts';
import { applyProfile, profileOf, someUser, filterOf } from './person.ts';
import * as wire from './schemas.ts';
import { block, unblock } from './standing.ts';
import { maskedUserView, openUserView } from './views.ts';

const byId = keyset<UserId>('users', UserId);
const params = z.strictObject({ id: UserId });

export const listUsers = forAdmins({
  id: 'listUsers',
  area: 'Admin identity',
  title: 'List users (admin)',
  description:
    'People, newest first. Newest first. Contact data is masked; email and phone are found by parts where the caller holds `users:unmask`, by the whole of them otherwise.',
  method: 'GET',
  path: '/v1/admin/users',
  effect: 'read',
  permission: 'users:read',
  query: z.strictObject({ ...pageQuery(byId), ...wire.narrowing }),
  status: 200,
  answer: wire.AdminUserList,
  refuses: [],
  async handle({ caller, db, query }) {
    const page = { before: query.cursor ?? null, most: query.limit + 1 };
    const found = await allUsers.all(db, { filter: filterOf(query, caller), ...page });
    return byId.page(found, query.limit, ({ id }) => id, maskedUserView);
  },
});

export const countAllUsers = forAdmins({
  id: 'countUsers',
  area: 'Admin identity',
  title: 'Count users (admin)',
  description: 'How many people there are, narrowed as the list is.',
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
    'One person, with factors, sessions and how far they are identified. Contact data is masked; `POST /v1/admin/users/{id}/reveal` shows it.',
  method: 'GET',
  path: '/v1/admin/users/{id}',
  effect: 'read',
  permission: 'users:read',
  params,
  status: 200,
  answer: wire.AdminUser,
  refuses: [],
  async handle({ params: { id }, db }) {
    return maskedUserView(await someUser(db, id));
  },
});

export const revealUser = forAdmins({
  id: 'revealUser',
  area: 'Admin identity',
  title: 'Reveal user details',
  description:
    'One person with nothing hidden. Who looked and why is in the audit log before the answer is. The details without masks. Each call is written to the audit log with its reason.',
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
    await record(db, { ...adminAct(request, 'user.revealed', at.id), reason: body.reason });
    return openUserView(user);
  },
});

export const updateUser = forAdmins({
  id: 'updateUser',
  area: 'Admin identity',
  title: 'Update user profile (admin)',
  description:
    'Corrects what a person may say of themselves; never role, status, login or password. Fields that are left out stay as they are. The email address and the phone number are logins: only their owner changes them.',
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
    const { params: at, body, db } = request;
    const user = await db.findOne(User, at.id, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (user === null) throw new Refusal('not_found');
    // nothing is asked for, so nothing is changed or written down
    if (Object.keys(body).length === 0) return maskedUserView(await someUser(db, at.id));
    const before = profileOf(user, body);
    applyProfile(user, body);
    await db.flush();
    sessions.forget(at.id);
    const after = profileOf(user, body);
    await record(db, { ...adminAct(request, 'user.updated', at.id), before, after });
    return maskedUserView(await someUser(db, at.id));
  },
});

export const setUserStatus = forAdmins({
  id: 'setUserStatus',
  area: 'Admin identity',
  title: 'Block or unblock user',
  description:
    'Keeps a person out, or lets them in again. Blocking ends all sessions at once. An administrator is blocked only by who may change permissions, and nobody blocks themselves.',
  method: 'PATCH',
  path: '/v1/admin/users/{id}/status',
  effect: 'transaction',
  permission: 'users:write',
  params,
  body: wire.UserStatusUpdate,
  status: 200,
  answer: wire.AdminUser,
  refuses: ['same_person', 'permission_not_held'],
  async handle(request, services) {
    const { params: at, body, db } = request;
    const change = body.status === 'blocked' ? block : unblock;
    await change(request, services, at.id, body.reason);
    return maskedUserView(await someUser(db, at.id));
  },
});

/** In the order of the documentation. */
export const operations = [listUsers, countAllUsers, getUser, revealUser, updateUser, setUserStatus];
