/** A forgotten password: its owner gets in again, nobody else does, and nobody learns who is registered. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { apiClient, patiently, type Answered } from '../../support/client.ts';
import {
  Asked,
  customer,
  logIn,
  registered,
  steadyStep,
  stranger,
  withTotp,
  type Stranger,
} from '../../support/bank/people.ts';
import { openVault, type Vault } from '../../support/stack/vault.ts';

let vault: Vault;
beforeAll(() => {
  vault = openVault();
});
afterAll(() => vault.close());

const NEW = 'nine loud herons';
const Reset = z.object({ reset_id: z.uuid(), expires_at: z.string() });
const Code = z.looseObject({ code: z.string() });
const forget = (email: string, client = apiClient()): Promise<Answered> =>
  client.call('POST', '/v1/auth/password/forgot', { body: { email } });
const reset = (reset_id: string, code: string, new_password = NEW): Promise<Answered> =>
  apiClient().call('POST', '/v1/auth/password/reset', { body: { reset_id, code, new_password } });
const logInWith = (who: Stranger, password: string): Promise<Answered> =>
  who.client.call('POST', '/v1/auth/login', { body: { identifier: who.email, password } });
const asked = async (who: Stranger): Promise<{ id: string; code: string }> => {
  const { reset_id: id } = (await forget(who.email)).as(Reset);
  return { id, code: await who.mail.nextCode(8) };
};

describe('a new password by code', () => {
  test('works once, ends all sessions, and is told', async () => {
    const person = await customer();
    const elsewhere = await logIn(person);
    const { id, code } = await asked(person);
    expect((await reset(id, code)).status).toBe(200);
    for (const { token } of [person, elsewhere])
      expect((await person.client.call('GET', '/v1/users/me', { token })).status).toBe(401);
    const refreshed = await person.client.call('POST', '/v1/auth/refresh', {
      body: { refresh_token: person.refreshToken },
    });
    expect(refreshed.status).toBe(401);
    expect((await person.mail.next()).subject).toBe('Your password was changed');
    expect((await logInWith(person, person.password)).status).toBe(401);
    expect((await logInWith(person, NEW)).status).toBe(200);
    expect((await reset(id, code, 'ten silent cranes')).as(Code).code).toBe('invalid_code');
  });

  test('does not go round the second factor, and logs nobody in', async () => {
    const person = await customer();
    const app = await withTotp(person);
    const { id, code } = await asked(person);
    const answer = await reset(id, code);
    expect(Object.keys(z.looseObject({}).parse(answer.body))).toEqual(['message']);
    await steadyStep();
    const challenge = (await logInWith(person, NEW)).as(Asked);
    expect(challenge.method).toBe('totp');
    const body = { challenge_id: challenge.challenge_id, code: app.code() };
    expect((await person.client.call('POST', '/v1/auth/login/mfa', { body })).status).toBe(200);
  });

  test('ends a login that waits for its code', async () => {
    const person = await customer();
    await person.call('PATCH', '/v1/users/me/mfa', { body: { email_otp_enabled: true } });
    const { challenge_id } = (await logInWith(person, person.password)).as(Asked);
    const loginCode = await person.mail.nextCode();
    const { id, code } = await asked(person);
    await reset(id, code);
    const body = { challenge_id, code: loginCode };
    expect((await person.client.call('POST', '/v1/auth/login/mfa', { body })).status).toBe(400);
  });

  test('a weak one is refused, and the code is good for a better one', async () => {
    const who = await registered();
    const { id, code } = await asked(who);
    expect((await reset(id, code, 'password12345')).as(Code).code).toBe('weak_password');
    // the user's own name: known only to whom the code has let in
    expect((await reset(id, code, 'my name is Kowalczyk')).as(Code).code).toBe('weak_password');
    expect((await reset(id, '00000000', 'my name is Kowalczyk')).as(Code).code).toBe('invalid_code');
    expect((await reset(id, code)).status).toBe(200);
  });

  test('two at once: one counts', async () => {
    const who = await registered();
    const { id, code } = await asked(who);
    const answers = await Promise.all([1, 2, 3].map(() => reset(id, code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  });

  test('five wrong guesses use the code up, also when thirty come at once', async () => {
    const who = await registered();
    const { id, code } = await asked(who);
    const guesses = Array.from({ length: 30 }, (_, index) =>
      String((Number(code) + 1 + index) % 100_000_000).padStart(8, '0'),
    );
    await Promise.all(guesses.map((guess) => reset(id, guess)));
    expect((await reset(id, code)).as(Code).code).toBe('invalid_code');
    expect((await logInWith(who, who.password)).status).toBe(200);
  });

  test('a code for something else does not reset, and one to reset opens nothing else', async () => {
    const person = await customer();
    await person.call('PATCH', '/v1/users/me/mfa', { body: { email_otp_enabled: true } });
    const { challenge_id } = (await logInWith(person, person.password)).as(Asked);
    const loginCode = await person.mail.nextCode();
    expect((await reset(challenge_id, `00${loginCode}`)).status).toBe(400);
    const { id } = await asked(person);
    const mac = vault.cipher.mac('one-time-code', id, '123456');
    await vault.sql('update challenges set code_mac = $2 where id = $1', [id, mac]);
    const body = { challenge_id: id, code: '123456' };
    expect((await person.client.call('POST', '/v1/auth/login/mfa', { body })).status).toBe(400);
  });

  test('is refused to one who was blocked meanwhile', async () => {
    const who = await registered();
    const { id, code } = await asked(who);
    await vault.sql(`update users set status = 'blocked' where email = $1`, [who.email]);
    expect((await reset(id, code)).as(Code).code).toBe('invalid_code');
  });
});

describe('nobody learns who is registered', () => {
  const shapeOf = ({ status, body, headers }: Answered): unknown => ({
    status,
    fields: Object.keys(z.looseObject({}).parse(body)),
    names: [...headers.keys()].filter((name) => name !== 'date').sort(),
    length: headers.get('content-length'),
  });

  test('known, unknown and blocked are answered alike; only the mail differs', async () => {
    const [known, unknown, blocked] = [await registered(), stranger(), await registered()];
    await vault.sql(`update users set status = 'blocked' where email = $1`, [blocked.email]);
    const answers = await Promise.all([known, unknown, blocked].map(({ email }) => forget(email)));
    const [first, ...others] = answers.map(shapeOf);
    expect(first).toMatchObject({ status: 200 });
    for (const other of others) expect(other).toEqual(first);
    expect((await known.mail.next()).subject).toBe('Your code for a new password');
    expect((await unknown.mail.next()).subject).toBe('There is no login with this address');
    expect((await blocked.mail.next()).subject).toBe('There is no login with this address');
  });

  test('a wrong code is answered alike for all of them', async () => {
    const [known, unknown] = [await registered(), stranger()];
    const answers: unknown[] = [];
    for (const { email } of [known, unknown]) {
      const { reset_id } = (await forget(email)).as(Reset);
      const { status, body } = await reset(reset_id, '00000000');
      const { request_id: _id, ...rest } = z.looseObject({}).parse(body);
      answers.push({ status, rest });
    }
    expect(answers[0]).toEqual(answers[1]);
  });

  test('the log names neither the address of a stranger nor the code', async () => {
    const who = stranger();
    const client = apiClient();
    await forget(who.email, client);
    const found = await vault.sql('select * from audit_log where address = $1', [client.address]);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ action: 'password.reset_asked', subject_type: 'identifier' });
    expect(JSON.stringify(found)).not.toContain(who.email);
  });
});

describe('limits', () => {
  test('one network gets five codes an hour for one address', async () => {
    const [who, client] = [await registered(), apiClient()];
    const answers: number[] = [];
    for (let turn = 0; turn < 6; turn += 1) answers.push((await forget(who.email, client)).status);
    expect(answers).toEqual([200, 200, 200, 200, 200, 429]);
  });

  test('a stranger who uses up all codes of an address does not keep its owner from one', async () => {
    const owner = await customer();
    const attacks = await Promise.all(Array.from({ length: 22 }, () => patiently(() => forget(owner.email))));
    expect(attacks.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
    expect((await forget(owner.email, owner.client)).status).toBe(200);
  });
});
