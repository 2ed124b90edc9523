/** What helps when something is missing: a code that did not arrive, a password that is forgotten. */
import { sendAgain } from '../../../services/identity/factors/resend.ts';
import { askForReset, resetPassword as resetByCode } from '../../../services/identity/passwords/recovery.ts';
import { forAnybody } from '../../declaration/operation.ts';
import { viewOf } from '../../wire/rows.ts';
import { MessageResponse } from '../../wire/shapes.ts';
import * as wire from './recovery-schemas.ts';

const resendView = viewOf(wire.CodeResendResponse);

export const resendCode = forAnybody({
  id: 'resendCode',
  area: 'Identity',
  title: 'Send a code again',
  description:
    'Sends another code for a registration, a login, a step-up, or a new address or number that waits for one. The code before stops working; wrong guesses go on being counted. A code is sent again at most three times for a challenge, half a minute apart. If the challenge is used up, over or unknown, the answer is `not_found`: begin anew.',
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
  async handle(request, services) {
    return resendView(await sendAgain(request, services, request.body.challenge_id));
  },
});

export const requestPasswordReset = forAnybody({
  id: 'requestPasswordReset',
  area: 'Identity',
  title: 'Ask for a new password',
  description:
    'Sends a code to the email address. The answer is the same if the address has no login that can be used; the email then says so.',
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
  async handle(request, services) {
    const { id, expiresAt } = await askForReset(request, services, request.body.email);
    return { reset_id: id, expires_at: expiresAt };
  },
});

export const resetPassword = forAnybody({
  id: 'resetPassword',
  area: 'Identity',
  title: 'Set a new password by code',
  description:
    'Sets a new password by the code from the email: eight digits, valid for five minutes, five attempts and one use. Ends all sessions and tells the user by email. Logs nobody in: the next login asks for the second factor as before.',
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
  async handle(request, services) {
    const { reset_id: id, code, new_password: password } = request.body;
    await resetByCode(request, services, { id, code, password });
    return { message: 'The password is changed. Log in with it.' };
  },
});

/** In the order of the documentation. */
export const operations = [resendCode, requestPasswordReset, resetPassword];
