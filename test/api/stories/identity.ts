import { generateSync } from 'otplib';
import { z } from 'zod';
import {
  Asked,
  customer,
  logIn,
  newPhone,
  registered,
  Registered,
  registration,
  steadyStep,
  stepUp,
  stranger,
  withTotp,
  type Person,
  type Stranger,
} from '../../support/bank/people.ts';
import { apiClient, type CallOptions, type Method } from '../../support/client.ts';
import { openVault } from '../../support/stack/vault.ts';
import type { Performed, Stories } from '../story.ts';

async function perform(
  method: Method,
  path: string,
  options: CallOptions = {},
  client = apiClient(),
): Promise<Performed> {
  return { made: { method, path, ...options }, answer: await client.call(method, path, options) };
}

const as = (person: Person, method: Method, path: string, options: CallOptions = {}): Promise<Performed> =>
  perform(method, path, { token: person.token, ...options }, person.client);

async function opened(who: Stranger, more: object = {}): Promise<z.output<typeof Registered>> {
  const body = registration(who, more);
  return (await who.client.call('POST', '/v1/auth/register', { body })).as(Registered);
}

/** Somebody with codes by email at login, and the challenge of a login. */
async function challenged(): Promise<{ who: Stranger; challengeId: string }> {
  const person = await customer();
  await person.call('PATCH', '/v1/users/me/mfa', { body: { email_otp_enabled: true } });
  const body = { identifier: person.email, password: person.password };
  const answer = await person.client.call('POST', '/v1/auth/login', { body });
  return { who: person, challengeId: answer.as(Asked).challenge_id };
}

/** The code of a login; the mail about the changed factors is passed over. */
const codeFor = (who: Stranger): Promise<string> => who.mail.nextCode();

const Asking = z.looseObject({ verification_id: z.string() });

/** Half a minute has to pass before a code is sent again. */
async function longAgo(challengeId: string): Promise<void> {
  const vault = openVault();
  await vault.sql(`update challenges set sent_at = sent_at - interval '1 minute' where id = $1`, [
    challengeId,
  ]);
  await vault.close();
}

export const identity: Stories = {
  register: async () => {
    const who = stranger();
    return perform('POST', '/v1/auth/register', { body: registration(who, { phone: newPhone().number }) });
  },
  verifyEmail: async () => {
    const who = stranger();
    const { verification_id } = await opened(who);
    const body = { verification_id, code: await codeFor(who) };
    return perform('POST', '/v1/auth/email/verify', { body });
  },
  verifyPhone: async () => {
    const [who, phone] = [stranger(), newPhone()];
    const { phone_verification_id } = await opened(who, { phone: phone.number });
    const body = { verification_id: phone_verification_id, code: await phone.mail.nextCode() };
    return perform('POST', '/v1/auth/phone/verify', { body });
  },
  login: async () => {
    const { email, password } = await registered();
    const body = { identifier: email, password, device_label: 'Ines’ laptop' };
    return perform('POST', '/v1/auth/login', { body });
  },
  verifyLoginMfa: async () => {
    const { who, challengeId } = await challenged();
    const body = { challenge_id: challengeId, code: await codeFor(who) };
    return perform('POST', '/v1/auth/login/mfa', { body });
  },
  refresh: async () => {
    const { refreshToken } = await customer();
    return perform('POST', '/v1/auth/refresh', { body: { refresh_token: refreshToken } });
  },
  logout: async () => {
    const person = await customer();
    return as(person, 'POST', '/v1/auth/logout', { body: { refresh_token: person.refreshToken } });
  },
  getJwks: () => perform('GET', '/.well-known/jwks.json'),
  initiateStepUp: async () =>
    as(await customer(), 'POST', '/v1/auth/step-up', { body: { operation: 'openAccount' } }),
  verifyStepUp: async () => {
    const person = await customer();
    const body = { operation: 'openAccount' };
    const { challenge_id } = (await person.call('POST', '/v1/auth/step-up', { body })).as(Asked);
    const answer = { challenge_id, code: await codeFor(person) };
    return as(person, 'POST', '/v1/auth/step-up/verify', { body: answer });
  },
  getProfile: async () => as(await customer(), 'GET', '/v1/users/me'),
  updateProfile: async () => {
    const address = { line1: 'ul. Długa 1', postal_code: '00-238', city: 'Warszawa', country: 'PL' };
    return as(await customer(), 'PATCH', '/v1/users/me', { body: { address, locale: 'pl-PL' } });
  },
  changePassword: async () => {
    const person = await customer();
    const body = { current_password: person.password, new_password: 'nine loud herons' };
    const stepUpToken = await stepUp(person, 'changePassword');
    return as(person, 'POST', '/v1/users/me/password', { body, stepUp: stepUpToken });
  },
  readMfaSettings: async () => as(await customer(), 'GET', '/v1/users/me/mfa'),
  updateMfaSettings: async () =>
    as(await customer(), 'PATCH', '/v1/users/me/mfa', { body: { email_otp_enabled: true } }),
  beginTotpSetup: async () => as(await customer(), 'POST', '/v1/users/me/mfa/totp/setup'),
  confirmTotp: async () => {
    const person = await customer();
    const setup = await person.call('POST', '/v1/users/me/mfa/totp/setup');
    const { secret } = setup.as(z.looseObject({ secret: z.string() }));
    await steadyStep();
    return as(person, 'POST', '/v1/users/me/mfa/totp/confirm', { body: { code: generateSync({ secret }) } });
  },
  removeTotp: async () => {
    const person = await customer();
    await person.call('PATCH', '/v1/users/me/mfa', { body: { email_otp_enabled: true } });
    const app = await withTotp(person);
    return as(person, 'DELETE', '/v1/users/me/mfa/totp', { body: { code: app.recoveryCodes[0] } });
  },
  resendCode: async () => {
    const who = stranger();
    const { verification_id } = await opened(who);
    await longAgo(verification_id);
    return perform('POST', '/v1/auth/codes/resend', { body: { challenge_id: verification_id } });
  },
  requestPasswordReset: async () => {
    const { email } = await registered();
    return perform('POST', '/v1/auth/password/forgot', { body: { email } });
  },
  resetPassword: async () => {
    const who = await registered();
    const asked = await who.client.call('POST', '/v1/auth/password/forgot', { body: { email: who.email } });
    const { reset_id } = asked.as(z.looseObject({ reset_id: z.string() }));
    const body = { reset_id, code: await who.mail.nextCode(8), new_password: 'nine loud herons' };
    return perform('POST', '/v1/auth/password/reset', { body });
  },
  changeEmail: async () => {
    const person = await customer();
    const options = { body: { email: stranger().email }, stepUp: await stepUp(person, 'changeEmail') };
    return as(person, 'POST', '/v1/users/me/email', options);
  },
  verifyEmailChange: async () => {
    const [person, { email, mail }] = [await customer(), stranger()];
    const options = { body: { email }, stepUp: await stepUp(person, 'changeEmail') };
    const { verification_id } = (await person.call('POST', '/v1/users/me/email', options)).as(Asking);
    const body = { verification_id, code: await mail.nextCode() };
    return as(person, 'POST', '/v1/users/me/email/verify', { body });
  },
  changePhone: async () => {
    const person = await customer();
    const options = { body: { phone: newPhone().number }, stepUp: await stepUp(person, 'changePhone') };
    return as(person, 'POST', '/v1/users/me/phone', options);
  },
  verifyPhoneChange: async () => {
    const [person, { number: phone, mail }] = [await customer(), newPhone()];
    const options = { body: { phone }, stepUp: await stepUp(person, 'changePhone') };
    const { verification_id } = (await person.call('POST', '/v1/users/me/phone', options)).as(Asking);
    const body = { verification_id, code: await mail.nextCode() };
    return as(person, 'POST', '/v1/users/me/phone/verify', { body });
  },
  listSessions: async () => as(await customer(), 'GET', '/v1/users/me/sessions'),
  endSession: async () => {
    const person = await customer();
    const { items } = (await person.call('GET', '/v1/users/me/sessions')).as(
      z.looseObject({ items: z.array(z.looseObject({ id: z.string() })) }),
    );
    return as(await logIn(person), 'DELETE', `/v1/users/me/sessions/${items[0]?.id ?? ''}`);
  },
  endOtherSessions: async () => as(await customer(), 'DELETE', '/v1/users/me/sessions'),
};
