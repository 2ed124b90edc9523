/** One's own second factors. Whoever takes one away or adds one must have proven more than the password just before. */
import { isDeepStrictEqual } from 'node:util';
import {
  freshProof,
  lockFactors,
  saveToggles,
  type Factors,
} from '../../../db/queries/identity/factors/factors.ts';
import { addMethod } from '../../../db/queries/identity/sessions/sessions.ts';
import { methodOf } from '../../../domain/identity/people.ts';
import { isRefusal, type Refusal } from '../../../domain/refusals.ts';
import type { OwnCall } from '../../callers.ts';
import type { Services } from '../../services.ts';
import { noteEvent, noteFailure } from '../events.ts';
import { tellUser } from '../notices.ts';
import { takeTotp } from './challenges.ts';
import { changedToggles, loginFactors, type Toggles } from './factors.ts';
import { renewRecoveryCodes } from './recovery-codes.ts';
import { beginTotp, removeTotp } from './totp.ts';

/**
 * How long a proven second factor is fresh, for changes of factors and for what administrators decide. OWASP ASVS 5.0 7.5.1: without
 * it a stolen session could enrol an authenticator of its own, and step up with that.
 */
export const FACTOR_MAX_AGE_SECONDS = 900;
export const NEEDS_PROOF =
  'If the last second factor, or the registration, is more than 15 minutes ago, or the login was by email although something stronger is on, step up for this operation first.';

/** Switches codes by email and text message on or off, and chooses the preferred factor. Answers the settings as they are then. */
export async function changeSettings(
  call: OwnCall<'no_such_factor' | 'last_factor' | 'step_up_required'>,
  { cipher }: Services,
  wish: Partial<Toggles>,
): Promise<Factors> {
  const before = await lockOwnFactors(call);
  const toggles = changedToggles(call, before, wish);
  const after = { ...before, ...toggles };
  // one for another is a change too: whoever has a stolen session must not choose what steps up
  const switched =
    after.emailOtpEnabled !== before.emailOtpEnabled || after.smsOtpEnabled !== before.smsOtpEnabled;
  if (switched) await requireProof(call);
  if (isDeepStrictEqual(before, after)) return before;
  await saveToggles(call.db, before.userId, toggles);
  const change = { before: settingsOf(before), after: settingsOf(after) };
  await noteEvent(call, 'mfa.changed', call.caller, change);
  await tellUser(call.db, cipher, 'factor_changed', before);
  return after;
}

/** Makes a secret and ten recovery codes, which replace those of a setup that was not confirmed. */
export async function setUpTotp(
  call: OwnCall<'totp_already_enabled' | 'step_up_required'>,
  { cipher }: Services,
): Promise<{ readonly secret: string; readonly uri: string; readonly codes: string[] }> {
  const { db, caller, refusal } = call;
  const { totp, email } = await lockOwnFactors(call);
  if (totp === 'enabled') throw refusal('totp_already_enabled');
  await requireProof(call);
  const setup = await beginTotp(db, cipher, caller.id, email);
  if (setup === null) throw refusal('totp_already_enabled');
  const codes = await renewRecoveryCodes(db, cipher, caller.id);
  await noteEvent(call, 'totp.begun', caller);
  return { ...setup, codes };
}

/** Turns TOTP on by a code of the new authenticator. A refusal of the code is returned, because the attempt must be counted. */
export async function confirmTotp(
  call: OwnCall<'totp_already_enabled' | 'totp_not_pending' | 'invalid_code' | 'too_many_requests'>,
  { cipher, sessions }: Services,
  code: string,
): Promise<Factors | Refusal> {
  const { db, caller, refusal } = call;
  const before = await lockOwnFactors(call);
  if (before.totp === 'enabled') throw refusal('totp_already_enabled');
  if (before.totp === 'none') throw refusal('totp_not_pending');
  const taken = await takeOwnCode(call, cipher, code, 'pending');
  if (isRefusal(taken)) return taken;
  const after: Factors = { ...before, totp: 'enabled', preferredMethod: 'totp' };
  await saveToggles(db, caller.id, after);
  await addMethod.run(db, { id: caller.sessionId, method: methodOf.totp });
  sessions.forget(caller.sessionId);
  await noteEvent(call, 'totp.enabled', caller);
  await tellUser(db, cipher, 'factor_changed', before);
  return after;
}

/** Turns TOTP off by a code of it, or a recovery code. A refusal of the code is returned, because the attempt must be counted. */
export async function turnTotpOff(
  call: OwnCall<'no_such_factor' | 'last_factor' | 'invalid_code' | 'too_many_requests'>,
  { cipher }: Services,
  code: string,
): Promise<Factors | Refusal> {
  const { db, caller, refusal } = call;
  const before = await lockOwnFactors(call);
  if (before.totp !== 'enabled') throw refusal('no_such_factor');
  const without: Factors = { ...before, totp: 'none' };
  if (loginFactors(without).length === 0) throw refusal('last_factor');
  const toggles = changedToggles(call, without, {});
  const taken = await takeOwnCode(call, cipher, code, 'enabled');
  if (isRefusal(taken)) return taken;
  await removeTotp(db, caller.id);
  await saveToggles(db, caller.id, toggles);
  await noteEvent(call, 'totp.removed', caller);
  await tellUser(db, cipher, 'factor_changed', before);
  return { ...without, ...toggles };
}

async function takeOwnCode(
  call: OwnCall<'invalid_code' | 'too_many_requests'>,
  cipher: Services['cipher'],
  code: string,
  state: 'pending' | 'enabled',
): Promise<true | Refusal> {
  const taken = await takeTotp(call, cipher, { code, state });
  if (isRefusal(taken)) await noteFailure(call, 'code.failed', ['user', call.caller.id]);
  return taken;
}

/** The caller's factors; changes of one person's factors and addresses follow one another. */
export async function lockOwnFactors({ db, caller, refusal }: OwnCall): Promise<Factors> {
  const factors = await lockFactors(db, caller.id, caller.sessionId);
  // the call was let in, and the user blocked or the session ended since
  if (factors === undefined) throw refusal('unauthenticated');
  return factors;
}

async function requireProof({ db, caller, refusal }: OwnCall<'step_up_required'>): Promise<void> {
  const { sessionId } = caller;
  const { proven } = await freshProof.one(db, { sessionId, seconds: FACTOR_MAX_AGE_SECONDS });
  const members = { reason: 'factor_too_old', max_age: FACTOR_MAX_AGE_SECONDS };
  if (!proven) throw refusal('step_up_required', { detail: NEEDS_PROOF, members });
}

/** The settings as their owner and the audit log see them. */
export function settingsOf({ totp, emailOtpEnabled, smsOtpEnabled, preferredMethod }: Factors) {
  return {
    totp_enabled: totp === 'enabled',
    totp_pending: totp === 'pending',
    email_otp_enabled: emailOtpEnabled,
    sms_otp_enabled: smsOtpEnabled,
    preferred_method: preferredMethod,
  };
}
