/** What helps when something is missing: a code that did not arrive, a password that is forgotten. */
import { resendable } from '../../../db/queries/identity/factors/challenges.ts';
import { evenTime } from '../../../services/identity/even-time.ts';
import { refuseWeak } from '../../../services/identity/passwords/password-policy.ts';
import {
  limitResets,
  openReset,
  resetPasswordByCode,
} from '../../../services/identity/passwords/recovery.ts';
import { addresseeOf, limitResend, sendAgain } from '../../../services/identity/factors/resend.ts';
import { forAnybody } from '../../declaration/operation.ts';
import { MessageResponse } from '../../wire/shapes.ts';
import * as wire from './recovery-schemas.ts';
import { transaction } from '../../../db/transaction.ts';

export const resendCode = forAnybody({
  id: 'resendCode',
  area: 'Identity',
  title: 'Send a code again',
  description:
    'Sends another code for a challenge that waits for one. For a registration, a login, a step-up, or a new address or number. The code before stops working; wrong guesses go on being counted. At most three times a challenge, half a minute apart. A challenge that is used up, over or unknown is not found: begin anew.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/auth/codes/resend',
  beyond: true,
  // the count of sent codes is kept apart from the transaction
  effect: 'own_transactions',
  throttle: { points: 30, seconds: 900 },
  body: wire.CodeResendRequest,
  status: 200,
  answer: wire.CodeResendResponse,
  refuses: ['not_found', 'too_many_requests'],
  async handle({ body, client, db, refusal }, { cipher, throttles }) {
    const challenge = await resendable(db, body.challenge_id);
    const addressee = challenge && (await addresseeOf(db, cipher, challenge));
    if (challenge === undefined || addressee === undefined) throw refusal('not_found');
    // what is not sent does not count
    if (challenge.waitSeconds > 0) throw refusal('too_many_requests', { retryAfter: challenge.waitSeconds });
    await limitResend(throttles, challenge, addressee, client.address);
    const renewed = await transaction(db, (em) => sendAgain(em, cipher, challenge, addressee));
    return { expires_at: renewed.expiresAt.toISOString(), resends_left: renewed.resendsLeft };
  },
});

export const requestPasswordReset = forAnybody({
  id: 'requestPasswordReset',
  area: 'Identity',
  title: 'Ask for a new password',
  description:
    'Begins a reset. The answer does not tell whether the address has a login. Sends a code to the email address. Where the address has no login that can be used the answer is the same, and the email says so.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/auth/password/forgot',
  beyond: true,
  effect: 'own_transactions',
  throttle: { points: 30, seconds: 3_600 },
  body: wire.PasswordResetRequest,
  status: 200,
  answer: wire.PasswordResetResponse,
  refuses: ['too_many_requests'],
  async handle({ body, client, requestId, db }, { cipher, throttles }) {
    const even = evenTime();
    const person = await limitResets(db, throttles, client.address, body.email);
    const opened = await transaction(db, (em) =>
      openReset(em, cipher, { client, requestId }, body.email, person),
    );
    await even;
    return { reset_id: opened.id, expires_at: opened.expiresAt.toISOString() };
  },
});

export const resetPassword = forAnybody({
  id: 'resetPassword',
  area: 'Identity',
  title: 'Set a new password by code',
  description:
    'Sets a new password by the code. Logs nobody in: a second factor is asked for as ever. Eight digits, five minutes, five attempts, once. Ends all sessions and tells the user by email. Second factors stay as they are and are asked for at the next login.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/auth/password/reset',
  beyond: true,
  // hashing takes its time, and no transaction should wait for it
  effect: 'own_transactions',
  throttle: { points: 30, seconds: 900 },
  body: wire.PasswordReset,
  status: 200,
  answer: MessageResponse,
  refuses: ['invalid_code', 'weak_password'],
  async handle({ body, client, requestId, db, refusal }, services) {
    const { reset_id: id, code, new_password: password } = body;
    // by what everybody can know first: the user's own data are looked at once the code has proven whose they are
    refuseWeak(password, null, '/new_password');
    const hash = await services.passwords.hash(password);
    const origin = { client, requestId };
    const reset = { id, code, password, hash };
    const done = await transaction(db, (em) => resetPasswordByCode(em, services, origin, reset));
    return done ? { message: 'The password is changed. Log in with it.' } : refusal('invalid_code');
  },
});

/** In the order of the documentation. */
export const operations = [resendCode, requestPasswordReset, resetPassword];
