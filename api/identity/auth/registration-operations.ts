/** Becoming a customer: register, prove the email address, prove the phone number. */
import { completeRegistration, openRegistration } from '../../../services/identity/people/registration.ts';
import { evenTime } from '../../../services/identity/even-time.ts';
import { noteEvent } from '../../../services/identity/events.ts';
import { refuseWeak } from '../../../services/identity/passwords/password-policy.ts';
import { takeCode } from '../../../services/identity/factors/challenges.ts';
import { limitStrangers } from '../../../services/identity/factors/resend.ts';
import { verifyPhone as markPhone } from '../../../db/queries/identity/people/phones.ts';
import { RegistrationId } from '../../../domain/ids.ts';
import { forAnybody } from '../../declaration/operation.ts';
import { MessageResponse } from '../../wire/shapes.ts';
import * as wire from './schemas.ts';
import { transaction } from '../../../db/transaction.ts';

export const register = forAnybody({
  id: 'register',
  area: 'Identity',
  title: 'Register a new user',
  description:
    'Begins a registration. The answer does not tell whether the address has a login. Sends a code to the email address, and one to the phone where it is given. A user exists once the address is proven. Where the address has a login already the answer is the same; its owner gets a message.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/auth/register',
  // hashing a password takes its time, and no transaction should wait for it
  effect: 'own_transactions',
  throttle: { points: 30, seconds: 3_600 },
  body: wire.RegisterRequest,
  status: 201,
  answer: wire.RegisterResponse,
  refuses: ['weak_password', 'too_many_requests'],
  async handle({ body, client: { address: from }, db, newId }, { cipher, passwords, throttles }) {
    const even = evenTime();
    const { email, phone = null, date_of_birth: dateOfBirth } = body;
    const name = { firstName: body.first_name, lastName: body.last_name };
    refuseWeak(body.password, { email, phone, dateOfBirth, ...name }, '/password');
    await limitStrangers(throttles, { to: email, method: 'email_otp', address: from });
    if (phone !== null) await limitStrangers(throttles, { to: phone, method: 'sms_otp', address: from });
    const passwordHash = await passwords.hash(body.password);
    const { country, address = null, locale = 'en' } = body;
    const applicant = { email, phone, passwordHash, ...name, dateOfBirth, country, address, locale };
    const opened = await transaction(db, (em) =>
      openRegistration(em, cipher, RegistrationId.parse(newId), applicant),
    );
    await even;
    return {
      verification_id: opened.email.id,
      phone_verification_id: opened.phone?.id ?? null,
      expires_at: opened.email.expiresAt.toISOString(),
    };
  },
});

export const verifyEmail = forAnybody({
  id: 'verifyEmail',
  area: 'Identity',
  title: 'Verify email OTP',
  description:
    'Proves the email address; the user exists from here on. Six digits, five minutes, five attempts, once. The user can log in from here on.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/auth/email/verify',
  effect: 'transaction',
  throttle: { points: 60, seconds: 900 },
  body: wire.VerifyRequest,
  status: 200,
  answer: MessageResponse,
  refuses: ['invalid_code'],
  async handle({ body, db, client, requestId, refusal }, { cipher }) {
    const { verification_id: id, code } = body;
    const challenge = await takeCode(db, cipher, { id, purpose: 'verify_email', code });
    if (challenge === null) return refusal('invalid_code');
    const userId = await completeRegistration(db, cipher, RegistrationId.parse(challenge.subjectId));
    if (userId === null) return refusal('invalid_code');
    await noteEvent(db, { client, requestId }, 'user.registered', { id: userId, role: 'customer' });
    return { message: 'The email address is verified. You can log in.' };
  },
});

export const verifyPhone = forAnybody({
  id: 'verifyPhone',
  area: 'Identity',
  title: 'Verify phone OTP',
  description:
    'Proves the phone number, before or after the email address. A verified number can be used to log in, and for codes by text message.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/auth/phone/verify',
  effect: 'transaction',
  throttle: { points: 60, seconds: 900 },
  body: wire.VerifyRequest,
  status: 200,
  answer: MessageResponse,
  refuses: ['invalid_code', 'conflict'],
  async handle({ body, db, client, requestId, refusal }, { cipher }) {
    const { verification_id: id, code } = body;
    const challenge = await takeCode(db, cipher, { id, purpose: 'verify_phone', code });
    if (challenge === null) return refusal('invalid_code');
    const proof = await markPhone(db, RegistrationId.parse(challenge.subjectId));
    switch (proof.kind) {
      case 'verified':
        await noteEvent(db, { client, requestId }, 'phone.verified', proof.owner);
        return { message: 'The phone number is verified.' };
      case 'waiting':
        return { message: 'The phone number is verified.' };
      case 'taken':
        return refusal('conflict', { detail: 'The number belongs to another login.' });
      case 'gone':
        return refusal('invalid_code');
    }
  },
});

/** In the order of the documentation. */
export const operations = [register, verifyEmail, verifyPhone];
