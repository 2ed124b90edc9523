/** Administrators who are invited, and how they come in. */
import { z } from 'zod';
import { record } from '../../../db/queries/platform/audit.ts';
import { invitedBy, lockInvited } from '../../../db/queries/identity/people/invitations.ts';
import { UserId } from '../../../domain/ids.ts';
import { Refusal } from '../../../domain/refusals.ts';
import {
  acceptAs,
  invite,
  sendInvitation,
  tokenHashOf,
} from '../../../services/identity/people/invitations.ts';
import { refuseWeak } from '../../../services/identity/passwords/password-policy.ts';
import { forAdmins, forAnybody } from '../../declaration/operation.ts';
import { MessageResponse } from '../../wire/shapes.ts';
import { adminAct, hold } from './act.ts';
import { refuseUnknown } from './actions.ts';
import { someUser } from './person.ts';
import * as wire from './schemas.ts';
import { maskedUserView } from './views.ts';
import { transaction } from '../../../db/transaction.ts';

export const createAdminUser = forAdmins({
  id: 'createAdminUser',
  area: 'Admin identity',
  title: 'Create admin user',
  description:
    'Invites an administrator by mail. Sends an invitation by mail, with which the new administrator chooses the password; a second factor is set up at the first login, before anything else. Granting permissions at once takes permissions:write too.',
  method: 'POST',
  idempotency: 'accepted',
  path: '/v1/admin/users',
  effect: 'transaction',
  permission: 'users:write',
  body: wire.AdminInvitation,
  status: 201,
  answer: wire.AdminUser,
  refuses: ['permission_not_held', 'login_exists'],
  async handle(request, services) {
    const { caller, body, db, newId } = request;
    const { email, first_name: firstName, last_name: lastName, locale = caller.locale, permissions } = body;
    refuseUnknown(permissions, services.permissionActions, '/permissions');
    const invited = { id: UserId.parse(newId), email, firstName, lastName, locale };
    hold(await invite(db, services.cipher, caller.id, invited, permissions));
    const after = { role: 'admin', status: 'pending', actions: permissions };
    await record(db, { ...adminAct(request, 'user.invited', invited.id), after });
    return maskedUserView(await someUser(db, invited.id));
  },
});

export const resendInvitation = forAdmins({
  id: 'resendInvitation',
  area: 'Admin identity',
  title: 'Send invitation again',
  description:
    'Sends the invitation again; the one before is worth nothing from then on. Only to who has not come yet. The invitation before is worth nothing from then on.',
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
  async handle(request, { cipher }) {
    const { caller, params: at, db } = request;
    await someUser(db, at.id);
    const invited = await lockInvited.first(db, { id: at.id });
    if (invited === undefined) throw new Refusal('conflict');
    await sendInvitation(db, cipher, caller.id, invited);
    await record(db, { ...adminAct(request, 'user.invited', at.id), after: { again: true } });
    return maskedUserView(await someUser(db, at.id));
  },
});

export const acceptAdminInvitation = forAnybody({
  id: 'acceptInvitation',
  area: 'Admin identity',
  title: 'Accept invitation',
  description:
    'Takes an invitation: sets the password, which nobody else has ever known. Sets the password of an invited administrator. Then log in and set up a second factor: nothing else is open before.',
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
  async handle({ body, client, requestId, db, refusal }, { passwords }) {
    const tokenHash = tokenHashOf(body.code);
    const invited = await invitedBy.first(db, { tokenHash });
    if (invited === undefined) throw refusal('invalid_code');
    refuseWeak(body.password, { ...invited, phone: null, dateOfBirth: null }, '/password');
    const passwordHash = await passwords.hash(body.password);
    await transaction(db, (em) => acceptAs(em, { tokenHash, passwordHash }, { client, requestId }));
    return { message: 'The password is set. Log in and set up a second factor.' };
  },
});

/** In the order of the documentation. */
export const operations = [createAdminUser, resendInvitation, acceptAdminInvitation];
