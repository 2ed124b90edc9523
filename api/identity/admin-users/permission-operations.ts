/** Who may do what: the catalogue of actions, and granting and revoking them. */
import { z } from 'zod';
import { record } from '../../../db/queries/platform/audit.ts';
import {
  grantPermissions,
  permissionsOf,
  revokePermissions,
  userExists,
} from '../../../db/queries/identity/people/permissions.ts';
import { UserId } from '../../../domain/ids.ts';
import { forAdmins } from '../../declaration/operation.ts';
import { adminAct, hold } from './act.ts';
import { refuseUnknown } from './actions.ts';
import { someUser } from './person.ts';
import * as wire from './schemas.ts';
import { makeAdmin } from './standing.ts';
import { maskedUserView, permissionsView } from './views.ts';

const params = z.strictObject({ id: UserId });

export const listPermissionActions = forAdmins({
  id: 'listPermissionActions',
  area: 'Admin identity',
  title: 'List permission action catalog',
  description:
    'All that there is to grant. Made from the operations: what none of them asks for is not here.',
  method: 'GET',
  path: '/v1/admin/permissions',
  effect: 'read',
  permission: 'permissions:read',
  status: 200,
  answer: wire.PermissionActionsResponse,
  refuses: [],
  async handle(_request, { permissionActions }) {
    return { items: permissionActions.map((entry) => ({ ...entry, operations: [...entry.operations] })) };
  },
});

export const getUserPermissions = forAdmins({
  id: 'getUserPermissions',
  area: 'Admin identity',
  title: 'Get user permissions',
  description: 'What somebody may do.',
  method: 'GET',
  path: '/v1/admin/users/{id}/permissions',
  effect: 'read',
  permission: 'permissions:read',
  params,
  status: 200,
  answer: wire.UserPermissionsResponse,
  refuses: [],
  async handle({ params: { id }, refusal, db }) {
    if (!(await userExists(db, id))) throw refusal('not_found');
    return permissionsView(id, await permissionsOf(db, id));
  },
});

export const grantUserPermissions = forAdmins({
  id: 'grantPermissions',
  area: 'Admin identity',
  title: 'Grant permissions',
  description:
    'Gives an administrator actions that the caller holds. Nobody grants what they do not hold, nor changes what they hold themselves.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/users/{id}/permissions',
  effect: 'transaction',
  permission: 'permissions:write',
  params,
  body: wire.PermissionChange,
  status: 200,
  answer: wire.UserPermissionsResponse,
  refuses: ['same_person', 'permission_not_held', 'not_an_admin'],
  async handle(request, { permissionActions, sessions }) {
    const { caller, params: at, body, db } = request;
    refuseUnknown(body.actions, permissionActions, '/actions');
    const change = await grantPermissions.one(db, { actor: caller.id, target: at.id, actions: body.actions });
    hold(change);
    sessions.forget(at.id);
    const [before, after] = [{ actions: change.before }, { actions: change.after }];
    await record(db, { ...adminAct(request, 'permissions.granted', at.id), before, after });
    return permissionsView(at.id, await permissionsOf(db, at.id));
  },
});

export const revokeUserPermissions = forAdmins({
  id: 'revokePermissions',
  area: 'Admin identity',
  title: 'Revoke permissions',
  description:
    'Takes actions away from somebody; gone at the next call. Actions that are not held do not matter. Nobody revokes their own, so somebody is always left who can grant.',
  method: 'DELETE',
  path: '/v1/admin/users/{id}/permissions',
  effect: 'transaction',
  permission: 'permissions:write',
  params,
  body: wire.PermissionChange,
  status: 200,
  answer: wire.UserPermissionsResponse,
  refuses: ['same_person', 'permission_not_held'],
  async handle(request, { sessions }) {
    const { caller, params: at, body, db } = request;
    const change = await revokePermissions.one(db, {
      actor: caller.id,
      target: at.id,
      actions: body.actions,
    });
    hold(change);
    sessions.forget(at.id);
    const [before, after] = [{ actions: change.before }, { actions: change.after }];
    await record(db, { ...adminAct(request, 'permissions.revoked', at.id), before, after });
    return permissionsView(at.id, await permissionsOf(db, at.id));
  },
});

export const promoteUser = forAdmins({
  id: 'promoteUser',
  area: 'Admin identity',
  title: 'Promote user to admin',
  description:
    'Makes a customer an administrator. All sessions of the user end; the next one needs a second factor before it may do anything. The user is told by email.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/users/{id}/promote',
  effect: 'transaction',
  permission: 'permissions:write',
  params,
  body: wire.PromoteRequest,
  status: 200,
  answer: wire.AdminUser,
  refuses: ['same_person', 'permission_not_held', 'already_an_admin', 'conflict'],
  async handle(request, services) {
    const { params: at, body, db } = request;
    refuseUnknown(body.actions, services.permissionActions, '/actions');
    await makeAdmin(request, services, at.id, body.actions);
    return maskedUserView(await someUser(db, at.id));
  },
});

/** In the order of the documentation. */
export const operations = [
  listPermissionActions,
  getUserPermissions,
  grantUserPermissions,
  revokeUserPermissions,
  promoteUser,
];
