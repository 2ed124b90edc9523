/** A mailbox is the weakest factor: it neither makes an administrator beside a stronger one nor exchanges that one. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { Answered } from '../../support/client.ts';
import {
  admin,
  Asked,
  customer,
  newPhone,
  personOf,
  steadyStep,
  stepUp,
  withTotp,
  type Person,
  type Stranger,
} from '../../support/bank/people.ts';
import { openVault, type Vault } from '../../support/stack/vault.ts';

let vault: Vault;
beforeAll(() => {
  vault = openVault();
});
afterAll(() => vault.close());

const MFA = '/v1/users/me/mfa';
const QUEUE = '/v1/admin/transfers/pending';
const Code = z.looseObject({ code: z.string() });
const codeOf = (answer: Answered): string | number => (answer.status === 200 ? 200 : answer.as(Code).code);
const logInWith = (who: Stranger, more: object = {}): Promise<Answered> =>
  who.client.call('POST', '/v1/auth/login', {
    body: { identifier: who.email, password: who.password, ...more },
  });
const answerMfa = (who: Stranger, challenge_id: string, code: string): Promise<Answered> =>
  who.client.call('POST', '/v1/auth/login/mfa', { body: { challenge_id, code } });
const registeredLongAgo = ({ email }: Person) =>
  vault.sql(`update users set email_verified_at = now() - interval '1 day' where email = $1`, [email]);
const textMessages = async ({ email }: Person, emailOtp = true) => {
  const phone = newPhone();
  await vault.sql(
    `update users set phone = $2, phone_verified_at = now(), sms_otp_enabled = true, email_otp_enabled = $3 where email = $1`,
    [email, phone.number, emailOtp],
  );
  return phone;
};
const setUp = async (person: Person) => codeOf(await person.call('POST', `${MFA}/totp/setup`));
const change = async (person: Person, body: object) => codeOf(await person.call('PATCH', MFA, { body }));

describe('an administrator with codes by email', () => {
  test('who sets up an authenticator is asked for it from then on; an email that was sent before is no use', async () => {
    const person = await admin(['transfers:read']);
    expect((await person.call('GET', QUEUE)).status).toBe(200);
    const early = (await logInWith(person)).as(Asked);
    const earlyCode = await person.mail.nextCode();
    const app = await withTotp(person);
    expect(codeOf(await answerMfa(person, early.challenge_id, earlyCode))).toBe('invalid_code');
    expect(codeOf(await logInWith(person, { method: 'email_otp' }))).toBe('no_such_factor');
    const asked = (await logInWith(person)).as(Asked);
    expect(asked).toMatchObject({ method: 'totp', methods: ['totp'] });
    await steadyStep();
    const back = personOf(person, await answerMfa(person, asked.challenge_id, app.code()));
    expect((await back.call('GET', QUEUE)).status).toBe(200);
  });

  test('is not asked for one of them while text messages are on', async () => {
    const person = await admin(['transfers:read']);
    await textMessages(person);
    expect(codeOf(await logInWith(person, { method: 'email_otp' }))).toBe('no_such_factor');
    expect((await logInWith(person)).as(Asked)).toMatchObject({ method: 'sms_otp', methods: ['sms_otp'] });
  });

  test('may remove the authenticator, and has them again; without them it is the last factor', async () => {
    const person = await admin(['transfers:read']);
    const app = await withTotp(person);
    const remove = (index: number) =>
      person.call('DELETE', `${MFA}/totp`, { body: { code: app.recoveryCodes[index] } });
    expect(await change(person, { email_otp_enabled: false })).toBe(200);
    expect(codeOf(await remove(0))).toBe('last_factor');
    expect(await change(person, { email_otp_enabled: true })).toBe(200);
    expect((await remove(0)).body).toMatchObject({ totp_enabled: false, preferred_method: 'email_otp' });
    const asked = (await logInWith(person)).as(Asked);
    expect(asked).toMatchObject({ method: 'email_otp', methods: ['email_otp'] });
    expect((await answerMfa(person, asked.challenge_id, await person.mail.nextCode())).status).toBe(200);
  });

  test('cannot switch them in a session without a fresh proof, though no login asks for them', async () => {
    const person = await admin(['transfers:read']);
    await withTotp(person);
    await registeredLongAgo(person);
    await vault.sql(
      'update sessions set proved_at = null where user_id = (select id from users where email = $1)',
      [person.email],
    );
    expect(await change(person, { email_otp_enabled: false })).toBe('step_up_required');
    expect(await change(person, { preferred_method: 'email_otp' })).toBe('no_such_factor');
  });
});

describe('a fresh proof', () => {
  test('is no code by email at login where text messages are on', async () => {
    const person = await customer();
    const phone = await textMessages(person);
    await registeredLongAgo(person);
    const byMail = (await logInWith(person, { method: 'email_otp' })).as(Asked);
    const read = await answerMfa(person, byMail.challenge_id, await person.mail.nextCode());
    const thief = personOf(person, read);
    expect(await change(thief, { sms_otp_enabled: false })).toBe('step_up_required');
    expect(await setUp(thief)).toBe('step_up_required');
    const byPhone = (await logInWith(person, { method: 'sms_otp' })).as(Asked);
    const owner = personOf(
      person,
      await answerMfa(person, byPhone.challenge_id, await phone.mail.nextCode()),
    );
    expect(await change(owner, { sms_otp_enabled: false })).toBe(200);
  });

  test('is one where nothing stronger is on', async () => {
    const person = await customer();
    expect(await change(person, { email_otp_enabled: true })).toBe(200);
    await registeredLongAgo(person);
    const { challenge_id } = (await logInWith(person)).as(Asked);
    const again = personOf(person, await answerMfa(person, challenge_id, await person.mail.nextCode()));
    expect(await setUp(again)).toBe(200);
  });

  test('is no step-up for anything else', async () => {
    const person = await customer();
    await registeredLongAgo(person);
    await stepUp(person, 'openAccount');
    expect(await setUp(person)).toBe('step_up_required');
    expect(await change(person, { email_otp_enabled: true })).toBe('step_up_required');
    await stepUp(person, 'updateMfaSettings');
    expect(await change(person, { email_otp_enabled: true })).toBe(200);
  });
});
