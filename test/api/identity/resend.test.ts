/** A code that is sent again: the one before dies, guesses go on being counted, and nothing tells who is registered. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { apiClient, type Answered } from '../../support/client.ts';
import {
  Asked,
  customer,
  newPhone,
  registered,
  Registered,
  registration,
  stepUp,
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

const Again = z.object({ expires_at: z.string(), resends_left: z.int() });
const resendNow = (challenge_id: string, client = apiClient()): Promise<Answered> =>
  client.call('POST', '/v1/auth/codes/resend', { body: { challenge_id } });
/** After the half minute that has to pass between two codes. */
async function resend(id: string, client = apiClient()): Promise<Answered> {
  await vault.sql(`update challenges set sent_at = sent_at - interval '31 seconds' where id = $1`, [id]);
  return resendNow(id, client);
}
const register = async (who: Stranger, more: object = {}) =>
  (await who.client.call('POST', '/v1/auth/register', { body: registration(who, more) })).as(Registered);
const verify = async (id: string, code: string, what = 'email'): Promise<number> =>
  (await apiClient().call('POST', `/v1/auth/${what}/verify`, { body: { verification_id: id, code } })).status;

describe('a code of a registration', () => {
  test('is replaced by another one: the old one dies, the new one works', async () => {
    const who = stranger();
    const { verification_id: id } = await register(who);
    const old = await who.mail.nextCode();
    expect((await resend(id)).as(Again).resends_left).toBe(2);
    const code = await who.mail.nextCode();
    if (code !== old) expect(await verify(id, old)).toBe(400);
    expect(await verify(id, code)).toBe(200);
  });

  test('can be asked for after the first has run out, while the registration waits', async () => {
    const who = stranger();
    const { verification_id: id } = await register(who);
    await who.mail.nextCode();
    await vault.sql(`update challenges set expires_at = now() where id = $1`, [id]);
    expect((await resend(id)).status).toBe(200);
    expect(await verify(id, await who.mail.nextCode())).toBe(200);
  });

  test('goes to the phone too, also when the email address was proven before', async () => {
    const [who, phone] = [stranger(), newPhone()];
    const opened = await register(who, { phone: phone.number });
    const id = opened.phone_verification_id ?? '';
    await phone.mail.nextCode();
    expect(await verify(opened.verification_id, await who.mail.nextCode())).toBe(200);
    expect((await resend(id)).status).toBe(200);
    expect(await verify(id, await phone.mail.nextCode(), 'phone')).toBe(200);
  });

  test('of a taken address is answered alike, and writes to its owner again', async () => {
    const [owner, fresh] = [await registered(), stranger()];
    const taken = await register({ ...stranger(), email: owner.email });
    const free = await register(fresh);
    const answers = [await resend(taken.verification_id), await resend(free.verification_id)];
    for (const answer of answers) expect(answer.as(Again).resends_left).toBe(2);
    for (let turn = 0; turn < 2; turn += 1)
      expect((await owner.mail.next()).subject).toBe('You already have a login');
    expect(await verify(taken.verification_id, '000000')).toBe(400);
  });
});

describe('limits', () => {
  test('three times a challenge, half a minute apart', async () => {
    const who = stranger();
    const { verification_id: id } = await register(who);
    const early = await resendNow(id);
    expect(early.status).toBe(429);
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(20);
    expect(Number(early.headers.get('retry-after'))).toBeLessThanOrEqual(30);
    const left = [await resend(id), await resend(id), await resend(id)].map(
      (answer) => answer.as(Again).resends_left,
    );
    expect(left).toEqual([2, 1, 0]);
    expect((await resend(id)).status).toBe(404);
  });

  test('ten at once send one', async () => {
    const { verification_id: id } = await register(stranger());
    await vault.sql(`update challenges set sent_at = sent_at - interval '31 seconds' where id = $1`, [id]);
    const answers = await Promise.all(Array.from({ length: 4 }, () => resendNow(id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('it gives no more guesses: five wrong ones are all, over all its codes', async () => {
    const who = stranger();
    const { verification_id: id } = await register(who);
    const wrong = async (): Promise<void> => {
      const code = await who.mail.nextCode();
      for (let turn = 1; turn <= 3; turn += 1)
        await verify(id, String((Number(code) + turn) % 1_000_000).padStart(6, '0'));
    };
    await wrong();
    await resend(id);
    await wrong();
    expect((await resend(id)).status).toBe(404);
    const [row] = await vault.sql('select attempts from challenges where id = $1', [id]);
    expect(row).toEqual({ attempts: 5 });
  });

  test('one address is sent five codes an hour from one network, whatever for, and its owner still gets one', async () => {
    const [who, thief] = [stranger(), apiClient()];
    const first = await register({ ...who, client: thief });
    const second = await register({ ...who, client: thief });
    const answers = [];
    for (const id of [first.verification_id, first.verification_id, first.verification_id])
      answers.push((await resend(id, thief)).status);
    answers.push((await resend(second.verification_id, thief)).status);
    expect(answers).toEqual([200, 200, 200, 429]);
    expect((await resend(second.verification_id, who.client)).status).toBe(200);
  });

  test.each([
    ['address', 20],
    ['number', 10],
  ])(
    'one %s is sent %d codes an hour from everywhere',
    async (what, most) => {
      const phone = newPhone();
      const target = stranger();
      const answers = [];
      for (let turn = 0; turn <= most; turn += 1) {
        const other = stranger();
        const who = what === 'address' ? { ...other, email: target.email } : other;
        const body = registration(who, what === 'address' ? {} : { phone: phone.number });
        answers.push((await other.client.call('POST', '/v1/auth/register', { body })).status);
      }
      expect(answers).toEqual([...Array<number>(most).fill(201), 429]);
    },
    180_000,
  );

  test('strangers cannot keep a user from an address or a number of their own', async () => {
    const [person, next] = [await customer(), stranger()];
    for (let turn = 0; turn < 6; turn += 1)
      await register({ ...next, client: next.client }).catch(() => undefined);
    const ask = async (): Promise<number> => {
      const options = { body: { email: next.email }, stepUp: await stepUp(person, 'changeEmail') };
      return (await person.call('POST', '/v1/users/me/email', options)).status;
    };
    const answers = [];
    for (let turn = 0; turn < 6; turn += 1) answers.push(await ask());
    expect(answers).toEqual([200, 200, 200, 200, 200, 429]);
  });
});

describe('a code of a user', () => {
  test('of a login and of a step-up is replaced', async () => {
    const person = await customer();
    const step = (await person.call('POST', '/v1/auth/step-up', { body: { operation: 'openAccount' } })).as(
      Asked,
    );
    await person.mail.nextCode();
    expect((await resend(step.challenge_id)).status).toBe(200);
    const proof = { challenge_id: step.challenge_id, code: await person.mail.nextCode() };
    expect((await person.call('POST', '/v1/auth/step-up/verify', { body: proof })).status).toBe(200);

    await person.call('PATCH', '/v1/users/me/mfa', { body: { email_otp_enabled: true } });
    const body = { identifier: person.email, password: person.password };
    const login = (await person.client.call('POST', '/v1/auth/login', { body })).as(Asked);
    await person.mail.nextCode();
    expect((await resend(login.challenge_id)).status).toBe(200);
    const second = { challenge_id: login.challenge_id, code: await person.mail.nextCode() };
    expect((await person.client.call('POST', '/v1/auth/login/mfa', { body: second })).status).toBe(200);
    expect((await resend(login.challenge_id)).status).toBe(404);
  });

  test('of a new address is replaced', async () => {
    const [person, next] = [await customer(), stranger()];
    const options = { body: { email: next.email }, stepUp: await stepUp(person, 'changeEmail') };
    const { verification_id } = (await person.call('POST', '/v1/users/me/email', options)).as(
      z.looseObject({ verification_id: z.string() }),
    );
    await next.mail.nextCode();
    expect((await resend(verification_id)).status).toBe(200);
    const body = { verification_id, code: await next.mail.nextCode() };
    expect((await person.call('POST', '/v1/users/me/email/verify', { body })).status).toBe(200);
  });

  test('an authenticator’s, an unknown one and one of a forgotten password are not found', async () => {
    const person = await customer();
    await withTotp(person);
    const step = (await person.call('POST', '/v1/auth/step-up', { body: { operation: 'openAccount' } })).as(
      Asked,
    );
    const forgotten = await apiClient().call('POST', '/v1/auth/password/forgot', {
      body: { email: person.email },
    });
    const { reset_id } = forgotten.as(z.looseObject({ reset_id: z.string() }));
    for (const id of [step.challenge_id, randomUUID(), reset_id])
      expect((await resend(id)).body).toMatchObject({ status: 404, code: 'not_found' });
  });
});
