/** People who come in through the front door: they register, read their mail, log in, set up second factors, step up. */
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { generateSync } from 'otplib';
import { z } from 'zod';
import { createAdmin } from '../../../services/identity/people/admins.ts';
import { createPasswords } from '../../../services/identity/passwords/passwords.ts';
import { openOrm } from '../../../db/orm.ts';
import { apiClient, type Answered, type ApiClient, type CallOptions, type Method } from '../client.ts';
import { mailboxOf, phoneMailbox, type Mailbox } from '../stack/inbox.ts';
import { stack } from '../stack/stack.ts';

export const PASSWORD = 'seven quiet otters';
const STEP_MILLISECONDS = 30_000;
const STEADY_MILLISECONDS = 5_000;

export const Tokens = z.looseObject({
  access_token: z.string(),
  refresh_token: z.string(),
  device_token: z.string().optional(),
});
export const Registered = z.object({
  verification_id: z.uuid(),
  phone_verification_id: z.uuid().nullable(),
  expires_at: z.string(),
});
export const Asked = z.looseObject({ challenge_id: z.uuid(), method: z.string() });
const StepUpToken = z.looseObject({ step_up_token: z.string() });
const Setup = z.object({ secret: z.string(), otpauth_uri: z.string(), recovery_codes: z.array(z.string()) });

/** Somebody with an address of their own, registered or not. */
export interface Stranger {
  readonly email: string;
  readonly password: string;
  readonly client: ApiClient;
  readonly mail: Mailbox;
}

/** Somebody with a session. */
export interface Person extends Stranger {
  readonly token: string;
  readonly refreshToken: string;
  /** What this person's device is known by. */
  readonly deviceToken?: string | undefined;
  /** A call with this person's token. */
  call(method: Method, path: string, options?: CallOptions): Promise<Answered>;
}

/** An authenticator app. */
export interface Authenticator {
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
  /** The code of the present step, or of one `steps` away. */
  code(steps?: number): string;
}

/** Somebody nobody knows yet. */
export function stranger(api: string = stack.api): Stranger {
  const email = `p${randomUUID().replaceAll('-', '')}@people.test`;
  return { email, password: PASSWORD, client: apiClient(api), mail: mailboxOf(email) };
}

/** What a registration sends. */
export function registration({ email, password }: Stranger, more: object = {}): Record<string, unknown> {
  return {
    email,
    password,
    first_name: 'Ines',
    last_name: 'Kowalczyk',
    date_of_birth: '1988-11-23',
    country: 'PL',
    ...more,
  };
}

/** Registers and proves the address; has no session yet. */
export async function registered(more: object = {}, who: Stranger = stranger()): Promise<Stranger> {
  const body = registration(who, more);
  const answer = await who.client.call('POST', '/v1/auth/register', { body });
  const { verification_id } = answer.as(Registered);
  const code = await who.mail.nextCode();
  await succeed(who.client, '/v1/auth/email/verify', { verification_id, code });
  return who;
}

/** Registered, with the address proven and a session by password. */
export async function customer(more: object = {}): Promise<Person> {
  return logIn(await registered(more));
}

/** A session by password, for somebody without a second factor; from the same device where there was a login before. */
export async function logIn(who: Stranger & Pick<Partial<Person>, 'deviceToken'>): Promise<Person> {
  const { email: identifier, password, deviceToken: device_token } = who;
  const body = { identifier, password, device_token };
  return personOf(who, await who.client.call('POST', '/v1/auth/login', { body }));
}

/** The person behind an answer with tokens. */
export function personOf(who: Stranger & Pick<Partial<Person>, 'deviceToken'>, answer: Answered): Person {
  const { access_token: token, refresh_token: refreshToken, device_token } = answer.as(Tokens);
  const deviceToken = device_token ?? who.deviceToken;
  const call: Person['call'] = (method, path, options) =>
    who.client.call(method, path, { token, ...options });
  return { ...who, token, refreshToken, deviceToken, call };
}

/** Away from the end of a time step, so that a code does not grow old on its way. */
export async function steadyStep(): Promise<void> {
  const left = (): number => STEP_MILLISECONDS - (Date.now() % STEP_MILLISECONDS);
  // looked at again, for a timer may fire a millisecond before the next step begins
  while (left() < STEADY_MILLISECONDS) await wait(left());
}

/** Sets up TOTP. It is confirmed with the code of the step before, so that the present one can still be used. */
export async function withTotp(person: Person): Promise<Authenticator> {
  const setup = (await person.call('POST', '/v1/users/me/mfa/totp/setup')).as(Setup);
  const app: Authenticator = {
    secret: setup.secret,
    recoveryCodes: setup.recovery_codes,
    code: (steps = 0) => generateSync({ secret: setup.secret, epoch: Date.now() / 1_000 + 30 * steps }),
  };
  await steadyStep();
  const answer = await person.call('POST', '/v1/users/me/mfa/totp/confirm', { body: { code: app.code(-1) } });
  if (answer.status !== 200) throw new Error(`TOTP was not confirmed: ${answer.text}`);
  return app;
}

/** A step-up token by the code that comes by email, or by `code` where an authenticator is on. */
export async function stepUp(person: Person, operation: string, code?: string): Promise<string> {
  const asked = (await person.call('POST', '/v1/auth/step-up', { body: { operation } })).as(Asked);
  const answer = await person.call('POST', '/v1/auth/step-up/verify', {
    body: { challenge_id: asked.challenge_id, code: code ?? (await person.mail.nextCode()) },
  });
  return answer.as(StepUpToken).step_up_token;
}

/** A German mobile number of a range for tests that hardly anybody else has, and where its text messages arrive. */
export function newPhone(): { readonly number: string; readonly mail: Mailbox } {
  const number = `+49171${String(randomInt(1_000_000, 9_999_999))}`;
  return { number, mail: phoneMailbox(number) };
}

async function succeed(client: ApiClient, path: string, body: object): Promise<void> {
  const answer = await client.call('POST', path, { body });
  if (answer.status !== 200) throw new Error(`${path} answered ${String(answer.status)}: ${answer.text}`);
}

/** An admin made as the command makes them, with a session; without `emailOtp` one that still has to set up a second factor. */
export async function admin(permissions: readonly string[], emailOtp = true): Promise<Person> {
  const who = stranger();
  const orm = openOrm({ DATABASE_URL: stack.ownerUrl, DATABASE_POOL_MAX: 1 });
  const passwordHash = await createPasswords().hash(who.password);
  const made = { email: who.email, firstName: 'Ada', lastName: 'Min', locale: 'en', passwordHash };
  await orm.em.fork().transactional((em) => createAdmin(em, { ...made, permissions, emailOtp }));
  await orm.close(true);
  if (!emailOtp) return logIn(who);
  const body = { identifier: who.email, password: who.password };
  const asked = (await who.client.call('POST', '/v1/auth/login', { body })).as(Asked);
  const proof = { challenge_id: asked.challenge_id, code: await who.mail.nextCode() };
  return personOf(who, await who.client.call('POST', '/v1/auth/login/mfa', { body: proof }));
}
