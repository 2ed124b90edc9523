/** Codes that are sent: how they are made, kept and worded. Six digits; eight where the code is all that is asked. */
import { randomInt } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Cipher } from '../../../adapters/cipher.ts';
import { notify } from '../../notifications/events.ts';
import type { Challenge } from '../../../db/queries/identity/factors/challenges.ts';
import type { ChallengeId, UserId } from '../../../domain/ids.ts';
import type { ChallengePurpose, SentFactor } from '../../../domain/identity/people.ts';

/** How long a code is taken; OWASP ASVS 5.0 6.5.5 allows ten minutes. */
export const CODE_SECONDS = 300;
const CODE_DIGITS = 6;
/** Nothing but this code stands before a new password, and anybody may ask for one again and again. */
export const RESET_CODE_DIGITS = 8;

/** Where a code goes. */
export interface Recipient {
  readonly userId: UserId | null;
  readonly to: string;
  readonly locale: string;
}

const TEMPLATES = {
  verify_email: 'email_verification',
  verify_phone: 'phone_verification',
  login: 'login_code',
  step_up: 'step_up_code',
  reset_password: 'password_reset',
  change_email: 'email_change',
  change_phone: 'phone_change',
} as const satisfies Record<ChallengePurpose, string>;

/** A random code with its leading zeros. */
export function newCode(purpose: ChallengePurpose): string {
  const digits = purpose === 'reset_password' ? RESET_CODE_DIGITS : CODE_DIGITS;
  return randomInt(10 ** digits)
    .toString()
    .padStart(digits, '0');
}

/** What of a code is kept: without the key nobody can try the million of them. */
export function macOf(cipher: Cipher, id: ChallengeId, code: string): Buffer {
  return cipher.mac('one-time-code', id, code);
}

/** True for the code that was sent for this challenge. */
export function codeMatches(cipher: Cipher, { id, codeMac }: Challenge, code: string): boolean {
  return codeMac !== null && cipher.macMatches(codeMac, 'one-time-code', id, code);
}

/** Sends a code in the words of its purpose. */
export async function deliverCode(
  em: EntityManager,
  cipher: Cipher,
  sent: {
    readonly purpose: ChallengePurpose;
    readonly method: SentFactor;
    readonly recipient: Recipient;
    readonly code: string;
    /** What the code approves, in the recipient's language; null if it is linked to no payment. */
    readonly approval: string | null;
  },
): Promise<void> {
  const { purpose, method, recipient, code, approval } = sent;
  const { to: address, ...reader } = recipient;
  const to = method === 'sms_otp' ? { sms: address } : { email: address };
  const values = { code, minutes: String(CODE_SECONDS / 60) };
  if (approval === null) await notify(em, cipher, { ...reader, to, type: TEMPLATES[purpose], values });
  else
    await notify(em, cipher, {
      ...{ ...reader, to, type: 'payment_code' },
      values: { ...values, payment: approval },
    });
}
