/** Administrators who are invited, and how they come in. */
import { z } from 'zod';
import { UserId } from '../../../domain/ids.ts';
import { acceptInvitation, invite, inviteAgain } from '../../../services/identity/people/invitations.ts';
import { invitingFourEyes, refuseUnknown } from '../../../services/identity/people/rights.ts';
import { forAdmins, forAnybody } from '../../declaration/operation.ts';
import { MessageResponse } from '../../wire/shapes.ts';
import * as wire from './schemas.ts';
import { maskedUser, someUser } from './views.ts';

export const createAdminUser = forAdmins({
  id: 'createAdminUser',
  area: 'Admin identity',
  title: 'Create admin user',
  description:
    'Sends an invitation by email, with which the new administrator chooses a password. Nothing is open to them until they have set up a second factor at the first login. To grant permissions at once, the caller needs `permissions:write` too. With an action that decides the invitation waits for a second administrator.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/users',
  effect: 'transaction',
  permission: 'users:write',
  fourEyes: invitingFourEyes,
  body: wire.AdminInvitation,
  status: 201,
  answer: wire.AdminUser,
  refuses: ['permission_not_held', 'login_exists'],
  async handle(request, services) {
    const { caller, body, db, newId } = request;
    const { email, first_name: firstName, last_name: lastName, locale = caller.locale, permissions } = body;
    refuseUnknown(request, permissions, services.permissionActions, '/permissions');
    const invited = { id: UserId.parse(newId), email, firstName, lastName, locale };
    await invite(request, services, invited, permissions);
    return maskedUser(db, invited.id);
  },
});

export const resendInvitation = forAdmins({
  id: 'resendInvitation',
  area: 'Admin identity',
  title: 'Send invitation again',
  description:
    'Sends a new invitation to an administrator who has not accepted yet; the previous link stops working.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/admin/users/{id}/invitation',
  effect: 'transaction',
  permission: 'users:write',
  params: z.strictObject({ id: UserId }),
  throttle: { points: 30, seconds: 3_600 },
  status: 200,
  answer: wire.AdminUser,
  refuses: ['conflict'],
  beyond: true,
  async handle(request, services) {
    const { params: at, db } = request;
    await someUser(db, at.id);
    await inviteAgain(request, services, at.id);
    return maskedUser(db, at.id);
  },
});

export const acceptAdminInvitation = forAnybody({
  id: 'acceptInvitation',
  area: 'Admin identity',
  title: 'Accept invitation',
  description:
    'Sets the password of an invited administrator. Then log in and set up a second factor: nothing else is open before that.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/auth/accept-invitation',
  // hashing takes its time, and no transaction should wait for it
  effect: 'own_transactions',
  throttle: { points: 30, seconds: 3_600 },
  body: wire.InvitationAcceptance,
  status: 200,
  answer: MessageResponse,
  refuses: ['invalid_code', 'weak_password'],
  beyond: true,
  async handle(request, services) {
    await acceptInvitation(request, services, request.body);
    return { message: 'The password is set. Log in and set up a second factor.' };
  },
});

/** In the order of the documentation. */
export const operations = [createAdminUser, resendInvitation, acceptAdminInvitation];
