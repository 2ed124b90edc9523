/** Attacks on one-time codes, authenticators and recovery codes. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { apiClient, patiently, type Answered, type ApiClient } from '../../support/client.ts';
import {
  Asked,
  customer,
  newPhone,
  personOf,
  Registered,
  registration,
  steadyStep,
  stepUp,
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

const Code = z.looseObject({ code: z.string() });
const statuses = (answers: readonly Answered[]): number[] => answers.map(({ status }) => status);
const register = async (who: Stranger, more: object = {}) =>
  (await who.client.call('POST', '/v1/auth/register', { body: registration(who, more) })).as(Registered);
const verify = (who: Stranger, id: string, code: string, what: 'email' | 'phone' = 'email') =>
  who.client.call('POST', `/v1/auth/${what}/verify`, { body: { verification_id: id, code } });
const logInWith = (who: Stranger, more: object = {}): Promise<Answered> =>
  who.client.call('POST', '/v1/auth/login', {
    body: { identifier: who.email, password: who.password, ...more },
  });
const answerMfa = (who: Stranger, challengeId: string, code: string, method?: string): Promise<Answered> =>
  who.client.call('POST', '/v1/auth/login/mfa', {
    body: { challenge_id: challengeId, code, ...(method === undefined ? {} : { method }) },
  });
const otherCodes = (right: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) =>
    String((Number(right) + 1 + index) % 1_000_000).padStart(6, '0'),
  );

/** Puts a code of the test's choice in the place of the one that was sent. */
async function plantCode(id: string, code: string): Promise<void> {
  const mac = vault.cipher.mac('one-time-code', id, code);
  await vault.sql('update challenges set code_mac = $2 where id = $1', [id, mac]);
}

describe('a sent code', () => {
  test('leading zeros are part of it', async () => {
    const who = stranger();
    const { verification_id: id } = await register(who);
    await plantCode(id, '000042');
    expect(statuses([await verify(who, id, '42'), await verify(who, id, '000042')])).toEqual([400, 200]);
  });

  test('it works once', async () => {
    const who = stranger();
    const { verification_id: id } = await register(who);
    const code = await who.mail.nextCode();
    expect(statuses([await verify(who, id, code), await verify(who, id, code)])).toEqual([200, 400]);
  });

  test('one of a text message works once, too', async () => {
    const [who, phone] = [stranger(), newPhone()];
    const id = (await register(who, { phone: phone.number })).phone_verification_id ?? '';
    const code = await phone.mail.nextCode();
    const answers = [await verify(who, id, code, 'phone'), await verify(who, id, code, 'phone')];
    expect(statuses(answers)).toEqual([200, 400]);
  });

  test('the right code at the same moment from many places counts once', async () => {
    const who = stranger();
    const { verification_id: id } = await register(who);
    const code = await who.mail.nextCode();
    const answers = await Promise.all([1, 2, 3, 4].map(() => verify(who, id, code)));
    expect(statuses(answers).sort()).toEqual([200, 400, 400, 400]);
  });

  test('five wrong guesses use it up, also when fifty come at once', async () => {
    const who = stranger();
    const { verification_id: id } = await register(who);
    const code = await who.mail.nextCode();
    const guesses = otherCodes(code, 50);
    const answers = await Promise.all(guesses.map((guess) => patiently(() => verify(who, id, guess))));
    expect(new Set(statuses(answers))).toEqual(new Set([400]));
    const [row] = await vault.sql('select attempts from challenges where id = $1', [id]);
    expect(row).toEqual({ attempts: 5 });
    expect((await verify(who, id, code)).status).toBe(400);
  });

  test('it ends after five minutes', async () => {
    const who = stranger();
    const { verification_id: id, expires_at } = await register(who);
    const minutes = (Date.parse(expires_at) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(4.5);
    expect(minutes).toBeLessThanOrEqual(5.1);
    const code = await who.mail.nextCode();
    await vault.sql('update challenges set expires_at = now() where id = $1', [id]);
    expect((await verify(who, id, code)).status).toBe(400);
  });

  test('it belongs to the request it was made for', async () => {
    const [one, other] = [stranger(), stranger()];
    const [first, second] = await Promise.all([register(one), register(other)]);
    const [code, otherCode] = await Promise.all([one.mail.nextCode(), other.mail.nextCode()]);
    await plantCode(second.verification_id, otherCode === code ? otherCodes(code, 1).join('') : otherCode);
    expect((await verify(other, second.verification_id, code)).status).toBe(400);
    expect((await verify(one, first.verification_id, code, 'phone')).status).toBe(400);
    expect((await verify(one, randomUUID(), code)).status).toBe(400);
    expect((await verify(one, first.verification_id, code)).status).toBe(200);
  });

  test('a code of a step-up cannot be used by another session or as a login', async () => {
    const [person, other] = await Promise.all([customer(), customer()]);
    const asked = await person.call('POST', '/v1/auth/step-up', { body: { operation: 'openAccount' } });
    const { challenge_id } = asked.as(Asked);
    const code = await person.mail.nextCode();
    const body = { challenge_id, code };
    expect((await other.call('POST', '/v1/auth/step-up/verify', { body })).status).toBe(400);
    expect((await answerMfa(person, challenge_id, code)).status).toBe(400);
    expect((await person.call('POST', '/v1/auth/step-up/verify', { body })).status).toBe(200);
    expect((await person.call('POST', '/v1/auth/step-up/verify', { body })).status).toBe(400);
  });

  test('ten wrong guesses in an hour are all a user has, over however many codes', async () => {
    const person = await customer();
    const guess = async (): Promise<number> => {
      const asked = await person.call('POST', '/v1/auth/step-up', { body: { operation: 'openAccount' } });
      const { challenge_id } = asked.as(Asked);
      await plantCode(challenge_id, '000000');
      const body = { challenge_id, code: '000001' };
      return (await person.call('POST', '/v1/auth/step-up/verify', { body })).status;
    };
    const answers: number[] = [];
    for (let turn = 0; turn < 11; turn += 1) answers.push(await guess());
    expect(answers).toEqual([...Array<number>(10).fill(400), 429]);
  });

  test('strangers who know the password use up what is for strangers, and not what is for the owner’s device', async () => {
    const owner = await customer();
    await owner.call('PATCH', '/v1/users/me/mfa', { body: { email_otp_enabled: true } });
    const challenged = async (client: ApiClient, more: object = {}): Promise<string> => {
      const { challenge_id: id } = (await logInWith({ ...owner, client }, more)).as(Asked);
      await plantCode(id, '000042');
      return id;
    };
    const device = { device_token: owner.deviceToken };
    const proven = await challenged(owner.client, device);
    expect((await answerMfa(owner, proven, '000042')).status).toBe(200);

    const guesses: number[] = [];
    for (let stranger = 0; stranger < 4; stranger += 1) {
      const client = apiClient();
      for (let challenge = 0; challenge < 3; challenge += 1) {
        const id = await challenged(client);
        const answers = [0, 1, 2, 3].map(() => answerMfa({ ...owner, client }, id, '000001'));
        guesses.push(...statuses(await Promise.all(answers)));
      }
    }
    // ten from each of three networks, and then none from anywhere
    expect(guesses.filter((status) => status === 400)).toHaveLength(30);
    expect(guesses.filter((status) => status === 429)).toHaveLength(48 - 30);
    const elsewhere = apiClient();
    const right = await challenged(elsewhere);
    expect((await answerMfa({ ...owner, client: elsewhere }, right, '000042')).status).toBe(429);

    const own = await challenged(apiClient(), device);
    expect((await answerMfa(owner, own, '000042')).status).toBe(200);
  });

  test('right codes use up nothing, however many there are', async () => {
    const owner = await customer();
    await owner.call('PATCH', '/v1/users/me/mfa', { body: { email_otp_enabled: true } });
    for (let turn = 0; turn < 12; turn += 1) {
      const { challenge_id: id } = (await logInWith(owner)).as(Asked);
      await plantCode(id, '000042');
      expect((await answerMfa(owner, id, '000042')).status).toBe(200);
    }
  });

  test('a recovery code lets the owner in while strangers have used up the guesses', async () => {
    const owner = await customer();
    const app = await withTotp(owner);
    await vault.sql(
      `insert into code_guesses (user_id, purpose, place, failures) values ($1, 'login', 'anywhere', 30)`,
      [claimsOf(owner.token)['sub']],
    );
    const asked = (await logInWith(owner)).as(Asked);
    expect((await answerMfa(owner, asked.challenge_id, app.code())).status).toBe(429);
    const [code = ''] = app.recoveryCodes;
    expect((await answerMfa(owner, asked.challenge_id, code, 'recovery_code')).status).toBe(200);
  });

  test('a step-up is asked for operations of the catalogue only', async () => {
    const person = await customer();
    for (const operation of ['login', 'nothing', '__proto__', 'getProfile']) {
      const answer = await person.call('POST', '/v1/auth/step-up', { body: { operation } });
      expect([answer.status, answer.as(Code).code]).toEqual([400, 'invalid_request']);
    }
  });
});

describe('an authenticator', () => {
  test('a code is taken once, also inside its window and by parallel logins', async () => {
    const person = await customer();
    const app = await withTotp(person);
    await steadyStep();
    const asked = await Promise.all([1, 2, 3].map(async () => (await logInWith(person)).as(Asked)));
    const code = app.code();
    const answers = await Promise.all(asked.map(({ challenge_id }) => answerMfa(person, challenge_id, code)));
    expect(statuses(answers).sort()).toEqual([200, 400, 400]);
    const again = (await logInWith(person)).as(Asked);
    expect((await answerMfa(person, again.challenge_id, code)).status).toBe(400);
  });

  test('codes of the future and of long ago are refused', async () => {
    const person = await customer();
    const app = await withTotp(person);
    for (const steps of [1, 2, -2, -10]) {
      const { challenge_id } = (await logInWith(person)).as(Asked);
      await steadyStep();
      expect((await answerMfa(person, challenge_id, app.code(steps))).status).toBe(400);
    }
  });

  test('the code that confirmed a setup does not step up', async () => {
    const person = await customer();
    await steadyStep();
    const setup = await person.call('POST', '/v1/users/me/mfa/totp/setup');
    const { generateSync } = await import('otplib');
    const code = generateSync({ secret: setup.as(z.looseObject({ secret: z.string() })).secret });
    const confirmed = await person.call('POST', '/v1/users/me/mfa/totp/confirm', { body: { code } });
    expect(confirmed.status).toBe(200);
    const { challenge_id, method } = (
      await person.call('POST', '/v1/auth/step-up', { body: { operation: 'openAccount' } })
    ).as(Asked);
    expect(method).toBe('totp');
    const answer = await person.call('POST', '/v1/auth/step-up/verify', { body: { challenge_id, code } });
    expect(answer.status).toBe(400);
  });

  test('once it is on, email does not step up', async () => {
    const person = await customer();
    await withTotp(person);
    await person.call('PATCH', '/v1/users/me/mfa', { body: { email_otp_enabled: true } });
    const answer = await person.call('POST', '/v1/auth/step-up', {
      body: { operation: 'openAccount', method: 'email_otp' },
    });
    expect([answer.status, answer.as(Code).code]).toEqual([409, 'no_such_factor']);
  });

  test('a session that proved only the password, long after registration, cannot enrol one; with a step-up it can', async () => {
    const person = await customer();
    await vault.sql(`update users set email_verified_at = now() - interval '1 day' where email = $1`, [
      person.email,
    ]);
    const setup = () => person.call('POST', '/v1/users/me/mfa/totp/setup');
    const refused = await setup();
    expect([refused.status, refused.as(Code).code]).toEqual([401, 'step_up_required']);
    expect(refused.headers.get('www-authenticate')).toContain('insufficient_user_authentication');
    await stepUp(person, 'beginTotpSetup');
    expect((await setup()).status).toBe(200);
  });

  test('recovery codes work once each, and only while the authenticator is on', async () => {
    const person = await customer();
    await person.call('PATCH', '/v1/users/me/mfa', { body: { email_otp_enabled: true } });
    const setup = await person.call('POST', '/v1/users/me/mfa/totp/setup');
    const [early = ''] = setup.as(z.looseObject({ recovery_codes: z.array(z.string()) })).recovery_codes;
    const pending = (await logInWith(person)).as(Asked);
    expect((await answerMfa(person, pending.challenge_id, early, 'recovery_code')).status).toBe(400);

    const app = await withTotp(person);
    const [first = '', second = ''] = app.recoveryCodes;
    const use = async (code: string): Promise<number> => {
      const { challenge_id } = (await logInWith(person, { method: 'totp' })).as(Asked);
      return (await answerMfa(person, challenge_id, code, 'recovery_code')).status;
    };
    expect([await use(first), await use(first), await use(early)]).toEqual([200, 400, 400]);
    expect(await use(second.toLowerCase().replaceAll('-', ' '))).toBe(200);
  });

  test('comes with ten recovery codes of 120 bits, shown once; the settings tell five things and no secret', async () => {
    const person = await customer();
    const { recoveryCodes } = await withTotp(person);
    expect(new Set(recoveryCodes).size).toBe(10);
    for (const code of recoveryCodes)
      expect(code).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{6}-){3}[0-9A-HJKMNP-TV-Z]{6}$/);
    const again = await person.call('POST', '/v1/users/me/mfa/totp/setup');
    expect([again.status, again.as(Code).code]).toEqual([409, 'totp_already_enabled']);
    expect((await person.call('GET', '/v1/users/me/mfa')).body).toEqual({
      totp_enabled: true,
      totp_pending: false,
      email_otp_enabled: false,
      sms_otp_enabled: false,
      preferred_method: 'totp',
    });
  });

  test('the secret and the recovery codes are not readable in the database', async () => {
    const person = await customer();
    const app = await withTotp(person);
    for (const table of ['totp_factors', 'recovery_codes', 'audit_log', 'events', 'notifications']) {
      const text = JSON.stringify(await vault.sql(`select t::text from ${table} t`));
      expect(text).not.toContain(app.secret);
      expect(text).not.toContain(Buffer.from(app.secret).toString('hex'));
      for (const code of app.recoveryCodes) expect(text).not.toContain(code);
    }
  });
});

describe('the last factor', () => {
  const settings = async (person: Person, body: object): Promise<string | number> => {
    const answer = await person.call('PATCH', '/v1/users/me/mfa', { body });
    return answer.status === 200 ? 200 : answer.as(Code).code;
  };

  test('cannot be switched off or removed while it is the only one', async () => {
    const person = await customer();
    expect(await settings(person, { email_otp_enabled: true })).toBe(200);
    expect(await settings(person, { email_otp_enabled: false })).toBe('last_factor');
    const app = await withTotp(person);
    expect(await settings(person, { email_otp_enabled: false })).toBe(200);
    const remove = async (): Promise<Answered> =>
      person.call('DELETE', '/v1/users/me/mfa/totp', { body: { code: app.recoveryCodes[0] } });
    expect((await remove()).as(Code).code).toBe('last_factor');
    expect(await settings(person, { email_otp_enabled: true })).toBe(200);
    const removed = await remove();
    expect(removed.body).toMatchObject({ totp_enabled: false, preferred_method: 'email_otp' });
  });

  test('cannot be exchanged for another by a session that proved only the password; with a step-up it can', async () => {
    const person = await customer();
    await vault.sql(
      `update users set phone = $2, phone_verified_at = now(), sms_otp_enabled = true, preferred_method = 'sms_otp',
         email_verified_at = now() - interval '1 day' where email = $1`,
      [person.email, newPhone().number],
    );
    const wishes = [
      { sms_otp_enabled: false, email_otp_enabled: true },
      { email_otp_enabled: true },
      { email_otp_enabled: true, preferred_method: 'email_otp' },
    ];
    for (const wish of wishes) expect(await settings(person, wish)).toBe('step_up_required');
    await vault.sql(
      `update sessions set proved_at = now() where user_id = (select id from users where email = $1)`,
      [person.email],
    );
    expect(await settings(person, { sms_otp_enabled: false, email_otp_enabled: true })).toBe(200);
  });

  test('codes by text message need a number that is proven', async () => {
    const phone = newPhone();
    const who = stranger();
    const opened = await register(who, { phone: phone.number });
    expect((await verify(who, opened.verification_id, await who.mail.nextCode())).status).toBe(200);
    const person = personOf(who, await logInWith(who));
    expect(await settings(person, { sms_otp_enabled: true })).toBe('no_such_factor');
    const code = await phone.mail.nextCode();
    expect((await verify(who, opened.phone_verification_id ?? '', code, 'phone')).status).toBe(200);
    expect(await settings(person, { sms_otp_enabled: true, preferred_method: 'sms_otp' })).toBe(200);
    const { challenge_id, method } = (await logInWith(who)).as(Asked);
    expect(method).toBe('sms_otp');
    expect((await answerMfa(who, challenge_id, await phone.mail.nextCode())).status).toBe(200);
  });
});
