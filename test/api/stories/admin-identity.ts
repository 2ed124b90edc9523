/** The happy paths of people and rights at the back office. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Bank, Person } from '../../support/bank/bank.ts';
import { apiClient, newKey } from '../../support/client.ts';
import { invitationCode } from '../../support/bank/invitations.ts';
import { perform, type Made, type Performed, type Stories, type Story } from '../story.ts';

const somebodyNew = () => ({
  email: `new-${randomUUID()}@bank.test`,
  first_name: 'Bo',
  last_name: 'Lind',
  permissions: ['users:read'],
});

/** Invites a new administrator; answers their id and address, and who invited them. */
async function invited(bank: Bank): Promise<{ admin: Person; id: string; email: string }> {
  const admin = await bank.admin('users:write', 'users:read', 'permissions:write');
  const body = somebodyNew();
  const made = { token: admin.token, key: newKey(), body };
  const answer = await admin.client.call('POST', '/v1/admin/users', made);
  return { admin, id: answer.as(z.looseObject({ id: z.uuid() })).id, email: body.email };
}

const about =
  (
    permissions: string[],
    whom: (bank: Bank) => Promise<Person>,
    made: (id: string) => Omit<Made, 'token'>,
    more: Pick<Performed, 'otherBody'> = {},
  ): Story =>
  async (bank) =>
    perform(await bank.admin(...permissions), made((await whom(bank)).id), more);

const customer = (bank: Bank): Promise<Person> => bank.customer();
const colleague = (bank: Bank): Promise<Person> => bank.admin('tickets:read');
const reading =
  (path: string, permission: string): Story =>
  async (bank) =>
    perform(await bank.admin(permission), { method: 'GET', path });

export const adminIdentity: Stories = {
  listPermissionActions: reading('/v1/admin/permissions', 'permissions:read'),
  listUsers: reading('/v1/admin/users?role=customer&limit=2', 'users:read'),
  countUsers: reading('/v1/admin/users/count', 'users:read'),
  listAuditLog: reading('/v1/admin/audit-log?limit=2', 'audit:read'),
  listSettings: async (bank) => perform(await bank.admin(), { method: 'GET', path: '/v1/admin/settings' }),
  listRefusedStarts: async (bank) => {
    await bank.asOwner(
      `insert into refused_starts (workflow_id, process, failure, due_at)
         values ($1, 'transfer', 'gRPC 3: not valid', now() + interval '1 hour')`,
      [`transfer/${randomUUID()}`],
    );
    const admin = await bank.admin('processes:read');
    return perform(admin, { method: 'GET', path: '/v1/admin/processes/refused?limit=2' });
  },
  getUser: about(['users:read'], customer, (id) => ({ method: 'GET', path: `/v1/admin/users/${id}` })),
  revealUser: about(['users:unmask'], customer, (id) => ({
    method: 'POST',
    path: `/v1/admin/users/${id}/reveal`,
    body: { reason: 'They are on the phone' },
  })),
  updateUser: about(['users:write'], customer, (id) => ({
    method: 'PATCH',
    path: `/v1/admin/users/${id}`,
    body: { last_name: 'Łukasiewicz' },
  })),
  setUserStatus: about(['users:write'], customer, (id) => ({
    method: 'PATCH',
    path: `/v1/admin/users/${id}/status`,
    body: { status: 'blocked', reason: 'A stolen phone' },
  })),
  getUserPermissions: about(['permissions:read'], colleague, (id) => ({
    method: 'GET',
    path: `/v1/admin/users/${id}/permissions`,
  })),
  grantPermissions: about(
    ['permissions:write', 'users:read', 'tickets:read'],
    colleague,
    (id) => ({
      method: 'POST',
      path: `/v1/admin/users/${id}/permissions`,
      key: newKey(),
      body: { actions: ['users:read'] },
    }),
    { otherBody: { actions: ['tickets:read'] } },
  ),
  revokePermissions: about(['permissions:write'], colleague, (id) => ({
    method: 'DELETE',
    path: `/v1/admin/users/${id}/permissions`,
    body: { actions: ['tickets:read'] },
  })),
  promoteUser: about(
    ['permissions:write', 'tickets:read'],
    customer,
    (id) => ({
      method: 'POST',
      path: `/v1/admin/users/${id}/promote`,
      key: newKey(),
      body: { actions: ['tickets:read'] },
    }),
    { otherBody: { actions: [] } },
  ),
  createAdminUser: async (bank) =>
    perform(
      await bank.admin('users:write', 'users:read', 'permissions:write'),
      { method: 'POST', path: '/v1/admin/users', key: newKey(), body: somebodyNew() },
      { otherBody: somebodyNew() },
    ),
  resendInvitation: async (bank) => {
    const { admin, id } = await invited(bank);
    return perform(admin, { method: 'POST', path: `/v1/admin/users/${id}/invitation` });
  },
  acceptInvitation: async (bank) => {
    const { email } = await invited(bank);
    const body = { code: await invitationCode(email), password: 'nine loud herons by a pond' };
    const made: Made = { method: 'POST', path: '/v1/auth/accept-invitation', body };
    return { made, answer: await apiClient().call(made.method, made.path, made) };
  },
};
