/** Which second factors a user has for what, and asking for one. */
import type { Cipher } from '../../../adapters/cipher.ts';
import type { Factors } from '../../../db/queries/identity/factors/factors.ts';
import type { UserId } from '../../../domain/ids.ts';
import type { SecondFactor } from '../../../domain/identity/people.ts';
import type { Call, Refusing } from '../../callers.ts';
import type { Throttles } from '../../platform/throttles.ts';
import { askForTotp, sendCode, type Binding, type OpenChallenge } from './challenges.ts';

/** Codes sent to one user, for each purpose apart: who has stolen a password cannot use up those of the owner's session. */
const CODES_SENT = { points: 20, seconds: 600 };

/**
 * What a login asks for, the strongest first; none where no factor is on. An administrator's takes email only while nothing stronger
 * is on: a new password comes by the same mail, so the mailbox alone would be the administrator.
 */
export function loginFactors(factors: Factors): SecondFactor[] {
  const strong = strongFactors(factors);
  const byEmail = factors.emailOtpEnabled && (factors.role !== 'admin' || strong.length === 0);
  return byEmail ? [...strong, 'email_otp'] : strong;
}

/**
 * What a step-up takes: email only while nothing stronger is on. It guards money and factors, and whoever reads the mail
 * could otherwise go round the authenticator (OWASP ASVS 5.0 6.3.5, 6.6.1).
 */
export function stepUpFactors(factors: Factors): SecondFactor[] {
  const strong = strongFactors(factors);
  return strong.length > 0 ? strong : ['email_otp'];
}

/** Those that whoever reads the mail does not have. */
function strongFactors(factors: Factors): SecondFactor[] {
  const strong: SecondFactor[] = [];
  if (factors.totp === 'enabled') strong.push('totp');
  if (hasSms(factors)) strong.push('sms_otp');
  return strong;
}

/** The wished factor, or the preferred one, or the strongest. Refuses no_such_factor where the wished one is not among them. */
export function chooseFactor(
  { refusal }: Refusing<'no_such_factor'>,
  { preferredMethod }: Factors,
  among: readonly SecondFactor[],
  wished: SecondFactor | undefined,
): SecondFactor {
  if (wished !== undefined) {
    if (among.includes(wished)) return wished;
    throw refusal('no_such_factor');
  }
  const [strongest = 'email_otp'] = among;
  return among.includes(preferredMethod) ? preferredMethod : strongest;
}

/**
 * Counts a code that is about to be sent to a user. Refuses too_many_requests. Call it before the transaction: it takes a
 * connection of its own, and who holds one while waiting for another can block everybody.
 */
export async function limitCodes(
  call: Refusing<'too_many_requests'>,
  throttles: Throttles,
  userId: UserId,
  { purpose, method }: { readonly purpose: 'login' | 'step_up'; readonly method: SecondFactor },
): Promise<void> {
  if (method !== 'totp') await throttles.take(call, 'codes', `${userId} ${purpose}`, CODES_SENT);
}

/** Opens a challenge for a factor, and sends the code where it is one that is sent. */
export async function askFor(
  { db, refusal }: Call<'no_such_factor'>,
  cipher: Cipher,
  factors: Factors,
  asked: { readonly purpose: 'login' | 'step_up'; readonly method: SecondFactor; readonly binding: Binding },
): Promise<OpenChallenge> {
  const { purpose, method, binding } = asked;
  const { userId, email, phone, locale } = factors;
  if (method === 'totp') return askForTotp(db, purpose, userId, binding);
  const to = method === 'sms_otp' ? phone : email;
  if (to === null) throw refusal('no_such_factor');
  const recipient = { userId, to, locale };
  return sendCode(db, cipher, { purpose, subjectId: userId, method, recipient, binding });
}

function hasSms({ smsOtpEnabled, phone }: Factors): boolean {
  return smsOtpEnabled && phone !== null;
}

/** How the factors stand after a change of their settings. */
export interface Toggles {
  readonly emailOtpEnabled: boolean;
  readonly smsOtpEnabled: boolean;
  readonly preferredMethod: SecondFactor;
}

/**
 * The settings after a wish. Refuses no_such_factor where a factor cannot be used (no verified phone, a preferred one that is
 * off) and last_factor where the only one would go: who once had a second factor does not fall back to the password alone.
 */
export function changedToggles(
  call: Refusing<'no_such_factor' | 'last_factor'>,
  factors: Factors,
  wish: Partial<Toggles>,
): Toggles {
  const { refusal } = call;
  const after = {
    ...factors,
    emailOtpEnabled: wish.emailOtpEnabled ?? factors.emailOtpEnabled,
    smsOtpEnabled: wish.smsOtpEnabled ?? factors.smsOtpEnabled,
  };
  if (after.smsOtpEnabled && after.phone === null) throw refusal('no_such_factor');
  const on = loginFactors(after);
  if (on.length === 0 && loginFactors(factors).length > 0) throw refusal('last_factor');
  // with none on, codes by email are what a step-up falls back to
  const usable: readonly SecondFactor[] = on.length > 0 ? on : ['email_otp'];
  if (wish.preferredMethod !== undefined && !usable.includes(wish.preferredMethod))
    throw refusal('no_such_factor');
  const preferredMethod = wish.preferredMethod ?? chooseFactor(call, after, usable, undefined);
  const { emailOtpEnabled, smsOtpEnabled } = after;
  return { emailOtpEnabled, smsOtpEnabled, preferredMethod };
}
