/** Who may do what: the catalogue of actions, and granting and revoking them. */
import { z } from 'zod';
import { permissionsOf, userExists } from '../../../db/queries/identity/people/permissions.ts';
import { UserId } from '../../../domain/ids.ts';
import {
  empoweringFourEyes,
  grant,
  makeAdmin,
  refuseUnknown,
  revoke,
} from '../../../services/identity/people/rights.ts';
import { forAdmins } from '../../declaration/operation.ts';
import * as wire from './schemas.ts';
import { maskedUser, permissionsView } from './views.ts';

const params = z.strictObject({ id: UserId });

export const listPermissionActions = forAdmins({
  id: 'listPermissionActions',
  area: 'Admin identity',
  title: 'List permission action catalog',
  description: 'Every action that can be granted, and the operations that it opens.',
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
  description: 'The actions that a person holds.',
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
    'Gives an administrator actions that the caller holds too. Nobody can change their own. An action with which somebody can decide waits for a second administrator.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/users/{id}/permissions',
  effect: 'transaction',
  permission: 'permissions:write',
  fourEyes: empoweringFourEyes,
  params,
  body: wire.PermissionChange,
  status: 200,
  answer: wire.UserPermissionsResponse,
  refuses: ['same_person', 'permission_not_held', 'not_an_admin'],
  async handle(request, services) {
    const { params: at, body, db } = request;
    refuseUnknown(request, body.actions, services.permissionActions, '/actions');
    await grant(request, services, at.id, body.actions);
    return permissionsView(at.id, await permissionsOf(db, at.id));
  },
});

export const revokeUserPermissions = forAdmins({
  id: 'revokePermissions',
  area: 'Admin identity',
  title: 'Revoke permissions',
  description:
    'Takes actions away from an administrator, from their next call on. Actions that are not held do not matter. Nobody can change their own.',
  method: 'DELETE',
  path: '/v1/admin/users/{id}/permissions',
  effect: 'transaction',
  permission: 'permissions:write',
  params,
  body: wire.PermissionChange,
  status: 200,
  answer: wire.UserPermissionsResponse,
  refuses: ['same_person', 'permission_not_held'],
  async handle(request, services) {
    const { params: at, body, db } = request;
    await revoke(request, services, at.id, body.actions);
    return permissionsView(at.id, await permissionsOf(db, at.id));
  },
});

export const promoteUser = forAdmins({
  id: 'promoteUser',
  area: 'Admin identity',
  title: 'Promote user to admin',
  description:
    'Makes a customer an administrator and tells them by email. All their sessions end; the next one needs a second factor before it may do anything. With an action that decides it waits for a second administrator.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/users/{id}/promote',
  effect: 'transaction',
  permission: 'permissions:write',
  fourEyes: empoweringFourEyes,
  params,
  body: wire.PromoteRequest,
  status: 200,
  answer: wire.AdminUser,
  refuses: ['same_person', 'permission_not_held', 'already_an_admin', 'conflict'],
  async handle(request, services) {
    const { params: at, body, db } = request;
    refuseUnknown(request, body.actions, services.permissionActions, '/actions');
    await makeAdmin(request, services, at.id, body.actions);
    return maskedUser(db, at.id);
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
