/** What a session may do to its own login: nothing without the right password or code, however often it tries. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { apiClient, type Answered } from '../../support/client.ts';
import {
  customer,
  logIn,
  newPhone,
  Registered,
  registration,
  steadyStep,
  stranger,
  withTotp,
  type Person,
  type Stranger,
} from '../../support/bank/people.ts';
import { claimsOf, openVault, type Vault } from '../../support/stack/vault.ts';

let vault: Vault;
beforeAll(() => {
  vault = openVault();
});
afterAll(() => vault.close());

const NEW_PASSWORD = 'nine loud herons';
const GUESSES = 10;
const Code = z.looseObject({ code: z.string() });
const codeOf = (answer: Answered): string | number => (answer.status === 200 ? 200 : answer.as(Code).code);

/** A step-up token as the service signs it; how one comes by it is told elsewhere. */
async function stepUpFor({ token }: Person, operation: string): Promise<string> {
  const { sub, sid, iss, aud } = claimsOf(token);
  const iat = Math.floor(Date.now() / 1_000);
  const claims = { sub, sid, iss, aud, operation, jti: randomUUID(), iat, exp: iat + 300 };
  return vault.token({ claims, header: { typ: 'step-up+jwt' } });
}

describe('the password', () => {
  const change = async (person: Person, current_password: string, new_password = NEW_PASSWORD) =>
    person.call('POST', '/v1/users/me/password', {
      body: { current_password, new_password },
      stepUp: await stepUpFor(person, 'changePassword'),
    });

  test('is not changed without the present one; nothing ends', async () => {
    const person = await customer();
    const elsewhere = await logIn(person);
    expect(codeOf(await change(person, 'not the password'))).toBe('invalid_credentials');
    expect(codeOf(await change(person, `${person.password} `))).toBe('invalid_credentials');
    expect((await elsewhere.call('GET', '/v1/users/me')).status).toBe(200);
    expect((await logIn(person)).token).toMatch(/./);
  });

  test('is not changed to a common one, nor to one that holds the user’s own data', async () => {
    const person = await customer();
    for (const weak of ['password12345', 'my name is Kowalczyk', '1988 11 23 19881123'])
      expect(codeOf(await change(person, person.password, weak))).toBe('weak_password');
  });

  test('is guessed ten times an hour, also with a step-up for each', async () => {
    const person = await customer();
    const tries: (string | number)[] = [];
    for (let turn = 0; turn <= GUESSES; turn += 1)
      tries.push(codeOf(await change(person, `guess number ${String(turn)}`)));
    expect(tries).toEqual([...Array<string>(GUESSES).fill('invalid_credentials'), 'too_many_requests']);
    // a call without one does not count, so a stolen session cannot use them up
    const other = await customer();
    const body = { current_password: 'x', new_password: NEW_PASSWORD };
    for (let turn = 0; turn <= GUESSES; turn += 1)
      await other.call('POST', '/v1/users/me/password', { body });
    expect(codeOf(await change(other, other.password))).toBe(200);
  });
});

describe('an authenticator', () => {
  test('is neither confirmed nor removed by a wrong code; ten of those are all in an hour', async () => {
    const person = await customer();
    const confirm = async (code: string): Promise<string | number> =>
      codeOf(await person.call('POST', '/v1/users/me/mfa/totp/confirm', { body: { code } }));
    expect(await confirm('000000')).toBe('totp_not_pending');
    await person.call('PATCH', '/v1/users/me/mfa', { body: { email_otp_enabled: true } });
    const app = await withTotp(person);
    await steadyStep();
    const wrong = String((Number(app.code()) + 1) % 1_000_000).padStart(6, '0');
    const remove = async (code: string): Promise<string | number> =>
      codeOf(await person.call('DELETE', '/v1/users/me/mfa/totp', { body: { code } }));
    const tries = await Promise.all(Array.from({ length: GUESSES + 2 }, () => remove(wrong)));
    expect(tries.filter((code) => code === 'invalid_code')).toHaveLength(GUESSES);
    expect(tries.filter((code) => code === 'too_many_requests')).toHaveLength(2);
    expect(await remove(app.code())).toBe('too_many_requests');
    expect((await person.call('GET', '/v1/users/me/mfa')).body).toMatchObject({ totp_enabled: true });
  });
});

describe('a phone number given at registration', () => {
  const register = async (who: Stranger, phone: string) => {
    const body = registration(who, { phone });
    return (await who.client.call('POST', '/v1/auth/register', { body })).as(Registered);
  };
  const verify = (id: string | null, code: string, what: 'email' | 'phone'): Promise<Answered> =>
    apiClient().call('POST', `/v1/auth/${what}/verify`, { body: { verification_id: id, code } });

  test('is no login before it is proven', async () => {
    const [who, phone] = [stranger(), newPhone()];
    const opened = await register(who, phone.number);
    await verify(opened.verification_id, await who.mail.nextCode(), 'email');
    const logInBy = async (): Promise<number> => {
      const body = { identifier: phone.number, password: who.password };
      return (await who.client.call('POST', '/v1/auth/login', { body })).status;
    };
    expect(await logInBy()).toBe(401);
    await verify(opened.phone_verification_id, await phone.mail.nextCode(), 'phone');
    expect(await logInBy()).toBe(200);
  });

  test('that two prove goes to the first user; the other one comes in without it', async () => {
    const [one, other, phone] = [stranger(), stranger(), newPhone()];
    const first = await register(one, phone.number);
    const firstCode = await phone.mail.nextCode();
    const second = await register(other, phone.number);
    const secondCode = await phone.mail.nextCode();
    expect((await verify(first.phone_verification_id, firstCode, 'phone')).status).toBe(200);
    expect((await verify(second.phone_verification_id, secondCode, 'phone')).status).toBe(200);
    expect((await verify(first.verification_id, await one.mail.nextCode(), 'email')).status).toBe(200);
    expect((await verify(second.verification_id, await other.mail.nextCode(), 'email')).status).toBe(200);
    const [holder, late] = [await logIn(one), await logIn(other)];
    const proven = async (person: Person) => (await person.call('GET', '/v1/users/me')).body;
    expect(await proven(holder)).toMatchObject({ phone: phone.number, phone_verified: true });
    expect(await proven(late)).toMatchObject({ phone_verified: false });
  });
});
