/** Becoming a customer: register, prove the email address, prove the phone number. */
import { RegistrationId } from '../../../domain/ids.ts';
import { isRefusal } from '../../../domain/refusals.ts';
import {
  proveEmail,
  provePhone,
  register as openRegistration,
} from '../../../services/identity/people/registration.ts';
import { forAnybody } from '../../declaration/operation.ts';
import { MessageResponse } from '../../wire/shapes.ts';
import * as wire from './schemas.ts';

export const register = forAnybody({
  id: 'register',
  area: 'Identity',
  title: 'Register a new user',
  description:
    'Sends a code to the email address, and one to the phone number if there is one. The user exists once the address is proven. If the address has a login already, the answer is the same, and its owner gets a message.',
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
  async handle(request, services) {
    const { email, password, country, phone = null, address = null, locale = 'en', ...person } = request.body;
    const { first_name: firstName, last_name: lastName, date_of_birth: dateOfBirth } = person;
    const applicant = { email, password, phone, firstName, lastName, dateOfBirth, country, address, locale };
    const opened = await openRegistration(request, services, RegistrationId.parse(request.newId), applicant);
    return {
      verification_id: opened.email.id,
      phone_verification_id: opened.phone?.id ?? null,
      expires_at: opened.email.expiresAt,
    };
  },
});

export const verifyEmail = forAnybody({
  id: 'verifyEmail',
  area: 'Identity',
  title: 'Verify email OTP',
  description:
    'Proves the email address, after which the user exists and can log in. The code has six digits, and is valid for five minutes, five attempts and one use.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/auth/email/verify',
  effect: 'transaction',
  throttle: { points: 60, seconds: 900 },
  body: wire.VerifyRequest,
  status: 200,
  answer: MessageResponse,
  refuses: ['invalid_code'],
  async handle(request, services) {
    const { verification_id: id, code } = request.body;
    const proven = await proveEmail(request, services, { id, code });
    return isRefusal(proven) ? proven : { message: 'The email address is verified. You can log in.' };
  },
});

export const verifyPhone = forAnybody({
  id: 'verifyPhone',
  area: 'Identity',
  title: 'Verify phone OTP',
  description:
    'Proves the phone number, before or after the email address. A proven number can be used to log in, and for codes by text message.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/auth/phone/verify',
  effect: 'transaction',
  throttle: { points: 60, seconds: 900 },
  body: wire.VerifyRequest,
  status: 200,
  answer: MessageResponse,
  refuses: ['invalid_code', 'conflict'],
  async handle(request, services) {
    const { verification_id: id, code } = request.body;
    const proven = await provePhone(request, services, { id, code });
    return isRefusal(proven) ? proven : { message: 'The phone number is verified.' };
  },
});

/** In the order of the documentation. */
export const operations = [register, verifyEmail, verifyPhone];
