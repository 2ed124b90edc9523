/** One's own second factors. Whoever takes one away or adds one must have proven more than the password just before. */
import { factorsOf } from '../../../db/queries/identity/factors/factors.ts';
import { found, isRefusal } from '../../../domain/refusals.ts';
import {
  changeSettings,
  confirmTotp as confirmByCode,
  NEEDS_PROOF,
  settingsOf,
  setUpTotp,
  turnTotpOff,
} from '../../../services/identity/factors/settings.ts';
import { forUsers } from '../../declaration/operation.ts';
import { patchOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';

export const readMfa = forUsers({
  id: 'readMfaSettings',
  area: 'Identity',
  title: 'Read MFA settings',
  description: 'Which second factors are on, and which one is preferred.',
  method: 'GET',
  path: '/v1/users/me/mfa',
  effect: 'read',
  status: 200,
  answer: wire.MFASettings,
  refuses: [],
  async handle({ caller, db }) {
    return settingsOf(found(await factorsOf.first(db, { userId: caller.id })));
  },
});

export const updateMfa = forUsers({
  id: 'updateMfaSettings',
  area: 'Identity',
  title: 'Update MFA settings',
  description: `The only second factor cannot be switched off; text messages need a verified phone. Switching one on or off needs a fresh proof. ${NEEDS_PROOF}`,
  method: 'PATCH',
  path: '/v1/users/me/mfa',
  effect: 'transaction',
  body: wire.MFAUpdate,
  status: 200,
  answer: wire.MFASettings,
  refuses: ['no_such_factor', 'last_factor', 'step_up_required'],
  async handle(request, services) {
    return settingsOf(await changeSettings(request, services, patchOf(request.body)));
  },
});

export const beginTotpSetup = forUsers({
  id: 'beginTotpSetup',
  area: 'Identity',
  title: 'Begin TOTP setup',
  description: `Answers the secret and ten recovery codes, which are not shown again. Another call replaces them until TOTP is confirmed. ${NEEDS_PROOF}`,
  method: 'POST',
  idempotency: 'none',
  path: '/v1/users/me/mfa/totp/setup',
  effect: 'transaction',
  status: 200,
  answer: wire.TOTPSetupResponse,
  refuses: ['totp_already_enabled', 'step_up_required'],
  async handle(request, services) {
    const { secret, uri, codes } = await setUpTotp(request, services);
    return { secret, otpauth_uri: uri, recovery_codes: codes };
  },
});

export const confirmTotp = forUsers({
  id: 'confirmTotp',
  area: 'Identity',
  title: 'Confirm TOTP',
  description:
    'Turns TOTP on by a code of the new authenticator and makes it the preferred method. The session then counts as one that began with a second factor.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/users/me/mfa/totp/confirm',
  effect: 'transaction',
  body: wire.CodeRequest,
  status: 200,
  answer: wire.MFASettings,
  refuses: ['totp_already_enabled', 'totp_not_pending', 'invalid_code', 'too_many_requests'],
  async handle(request, services) {
    const factors = await confirmByCode(request, services, request.body.code);
    return isRefusal(factors) ? factors : settingsOf(factors);
  },
});

export const removeTotpFactor = forUsers({
  id: 'removeTotp',
  area: 'Identity',
  title: 'Remove TOTP',
  description:
    'Turns TOTP off by a code of the authenticator or a recovery code. The only second factor cannot be removed.',
  method: 'DELETE',
  path: '/v1/users/me/mfa/totp',
  effect: 'transaction',
  body: wire.CodeRequest,
  status: 200,
  answer: wire.MFASettings,
  refuses: ['no_such_factor', 'last_factor', 'invalid_code', 'too_many_requests'],
  async handle(request, services) {
    const factors = await turnTotpOff(request, services, request.body.code);
    return isRefusal(factors) ? factors : settingsOf(factors);
  },
});

/** In the order of the documentation. */
export const operations = [readMfa, updateMfa, beginTotpSetup, confirmTotp, removeTotpFactor];
