/** One's own second factors. Whoever takes one away or adds one must have proven more than the password just before. */
import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../../adapters/cipher.ts';
import { sendMessage } from '../../../services/notifications/messages.ts';
import {
  factorsOf,
  freshProof,
  lockFactors,
  saveToggles,
  type Factors,
} from '../../../db/queries/identity/factors/factors.ts';
import { addMethod } from '../../../db/queries/identity/sessions/sessions.ts';
import type { SessionId } from '../../../domain/ids.ts';
import { methodOf } from '../../../domain/identity/people.ts';
import { isRefusal, Refusal } from '../../../domain/refusals.ts';
import { takeTotp } from '../../../services/identity/factors/challenges.ts';
import { noteEvent, noteFailure } from '../../../services/identity/events.ts';
import { changedToggles, loginFactors } from '../../../services/identity/factors/factors.ts';
import { renewRecoveryCodes } from '../../../services/identity/factors/recovery-codes.ts';
import { momentText } from '../../../services/identity/sessions/reuse.ts';
import { beginTotp, removeTotp } from '../../../services/identity/factors/totp.ts';
import { forUsers } from '../../declaration/operation.ts';
import type { User as Caller } from '../../../services/callers.ts';
import * as wire from './schemas.ts';
import { mfaView } from './views.ts';

/** OWASP ASVS 5.0 7.5.1. Without it a stolen session could enrol an authenticator of its own, and step up with that. */
const FRESH_PROOF_SECONDS = 900;
const NEEDS_PROOF =
  'Where the last second factor, or the registration, is more than 15 minutes ago, or the login was by email although something stronger is on: step up for this operation first.';

export const readMfa = forUsers({
  id: 'readMfaSettings',
  area: 'Identity',
  title: 'Read MFA settings',
  description: 'TOTP status, email and SMS OTP toggles, preferred method.',
  method: 'GET',
  path: '/v1/users/me/mfa',
  effect: 'read',
  status: 200,
  answer: wire.MFASettings,
  refuses: [],
  async handle({ caller, db, refusal }) {
    const factors = await factorsOf.first(db, { userId: caller.id });
    if (factors === undefined) throw refusal('not_found');
    return mfaView(factors);
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
  async handle({ caller, body, client, requestId, db }, { cipher }) {
    const before = await locked(db, caller);
    const after = changedToggles(before, {
      ...(body.email_otp_enabled !== undefined && { emailOtpEnabled: body.email_otp_enabled }),
      ...(body.sms_otp_enabled !== undefined && { smsOtpEnabled: body.sms_otp_enabled }),
      ...(body.preferred_method !== undefined && { preferredMethod: body.preferred_method }),
    });
    // one for another is a change too: whoever has a stolen session must not choose what steps up
    const switched =
      after.emailOtpEnabled !== before.emailOtpEnabled || after.smsOtpEnabled !== before.smsOtpEnabled;
    if (switched) await requireProof(db, caller.sessionId);
    const settings = mfaView({ ...before, ...after });
    if (isDeepStrictEqual(settings, mfaView(before))) return settings;
    await saveToggles(db, caller.id, after);
    const change = { before: mfaView(before), after: settings };
    await noteEvent(db, { client, requestId }, 'mfa.changed', caller, change);
    await tell(db, cipher, before);
    return settings;
  },
});

export const beginTotpSetup = forUsers({
  id: 'beginTotpSetup',
  area: 'Identity',
  title: 'Begin TOTP setup',
  description: `Answers the secret and ten recovery codes, once. Beginning again replaces them. ${NEEDS_PROOF}`,
  method: 'POST',
  idempotency: 'none',
  path: '/v1/users/me/mfa/totp/setup',
  effect: 'transaction',
  status: 200,
  answer: wire.TOTPSetupResponse,
  refuses: ['totp_already_enabled', 'step_up_required'],
  async handle({ caller, client, requestId, db, refusal }, { cipher }) {
    const factors = await locked(db, caller);
    if (factors.totp === 'enabled') throw refusal('totp_already_enabled');
    await requireProof(db, caller.sessionId);
    const setup = await beginTotp(db, cipher, caller.id, factors.email);
    if (setup === null) throw refusal('totp_already_enabled');
    const codes = await renewRecoveryCodes(db, cipher, caller.id);
    await noteEvent(db, { client, requestId }, 'totp.begun', caller);
    return { secret: setup.secret, otpauth_uri: setup.uri, recovery_codes: codes };
  },
});

export const confirmTotp = forUsers({
  id: 'confirmTotp',
  area: 'Identity',
  title: 'Confirm TOTP',
  description:
    'A code of the new authenticator turns TOTP on and makes it the preferred method. This session counts as one that began with it.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/users/me/mfa/totp/confirm',
  effect: 'transaction',
  body: wire.CodeRequest,
  status: 200,
  answer: wire.MFASettings,
  refuses: ['totp_already_enabled', 'totp_not_pending', 'invalid_code', 'too_many_requests'],
  async handle({ caller, body, client, requestId, db, refusal }, { cipher, sessions }) {
    const origin = { client, requestId };
    const before = await locked(db, caller);
    if (before.totp === 'enabled') throw refusal('totp_already_enabled');
    if (before.totp === 'none') throw refusal('totp_not_pending');
    const taken = await takeTotp(db, cipher, { userId: caller.id, code: body.code, state: 'pending' });
    if (isRefusal(taken)) {
      await noteFailure(db, origin, 'code.failed', { type: 'user', id: caller.id });
      return taken;
    }
    const after: Factors = { ...before, totp: 'enabled', preferredMethod: 'totp' };
    await saveToggles(db, caller.id, after);
    await addMethod.run(db, { id: caller.sessionId, method: methodOf.totp });
    sessions.forget(caller.sessionId);
    await noteEvent(db, origin, 'totp.enabled', caller);
    await tell(db, cipher, before);
    return mfaView(after);
  },
});

export const removeTotpFactor = forUsers({
  id: 'removeTotp',
  area: 'Identity',
  title: 'Remove TOTP',
  description:
    'Needs a code of the authenticator, or a recovery code. The only second factor cannot be removed.',
  method: 'DELETE',
  path: '/v1/users/me/mfa/totp',
  effect: 'transaction',
  body: wire.CodeRequest,
  status: 200,
  answer: wire.MFASettings,
  refuses: ['no_such_factor', 'last_factor', 'invalid_code', 'too_many_requests'],
  async handle({ caller, body, client, requestId, db, refusal }, { cipher }) {
    const origin = { client, requestId };
    const before = await locked(db, caller);
    if (before.totp !== 'enabled') throw refusal('no_such_factor');
    const without: Factors = { ...before, totp: 'none' };
    if (loginFactors(without).length === 0) throw refusal('last_factor');
    const toggles = changedToggles(without, {});
    const taken = await takeTotp(db, cipher, { userId: caller.id, code: body.code, state: 'enabled' });
    if (isRefusal(taken)) {
      await noteFailure(db, origin, 'code.failed', { type: 'user', id: caller.id });
      return taken;
    }
    await removeTotp(db, caller.id);
    await saveToggles(db, caller.id, toggles);
    await noteEvent(db, origin, 'totp.removed', caller);
    await tell(db, cipher, before);
    return mfaView({ ...without, ...toggles });
  },
});

async function locked(
  db: EntityManager,
  { id, sessionId }: Pick<Caller, 'id' | 'sessionId'>,
): Promise<Factors> {
  const factors = await lockFactors(db, id, sessionId);
  // the call was let in, and the user blocked or the session ended since
  if (factors === undefined) throw new Refusal('unauthenticated');
  return factors;
}

async function requireProof(db: EntityManager, sessionId: SessionId): Promise<void> {
  const { proven } = await freshProof.one(db, { sessionId, seconds: FRESH_PROOF_SECONDS });
  if (!proven) throw new Refusal('step_up_required', { detail: NEEDS_PROOF });
}

/** Who did not change the factors must learn of it. */
async function tell(db: EntityManager, cipher: Cipher, { userId, email, locale }: Factors): Promise<void> {
  const values = { at: momentText(new Date()) };
  const recipient = { userId, channel: 'email' as const, to: email, locale };
  await sendMessage(db, cipher, { ...recipient, template: 'factor_changed', values });
}

/** In the order of the documentation. */
export const operations = [readMfa, updateMfa, beginTotpSetup, confirmTotp, removeTotpFactor];
