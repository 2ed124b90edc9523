/** Another email address or phone number: proven before it counts, told to the old one, and no way to learn whose it is. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { Answered } from '../../support/client.ts';
import {
  Asked,
  customer,
  logIn,
  newPhone,
  registered,
  stepUp,
  stranger,
  type Person,
} from '../../support/bank/people.ts';
import { openVault, type Vault } from '../../support/stack/vault.ts';

let vault: Vault;
beforeAll(() => {
  vault = openVault();
});
afterAll(() => vault.close());

const Code = z.looseObject({ code: z.string() });
const Asking = z.object({ verification_id: z.uuid(), expires_at: z.string() });
const ask = async (person: Person, email: string): Promise<Answered> =>
  person.call('POST', '/v1/users/me/email', { body: { email }, stepUp: await stepUp(person, 'changeEmail') });
const askPhone = async (person: Person, phone: string): Promise<Answered> =>
  person.call('POST', '/v1/users/me/phone', { body: { phone }, stepUp: await stepUp(person, 'changePhone') });
const verify = (person: Person, id: string, code: string, what: 'email' | 'phone' = 'email') =>
  person.call('POST', `/v1/users/me/${what}/verify`, { body: { verification_id: id, code } });
const logInAs = (person: Person, identifier: string): Promise<Answered> =>
  person.client.call('POST', '/v1/auth/login', { body: { identifier, password: person.password } });
const profileOf = async (person: Person): Promise<unknown> => (await person.call('GET', '/v1/users/me')).body;

describe('another email address', () => {
  test('replaces the old one only once it is proven; the old one is told', async () => {
    const [person, next] = [await customer(), stranger()];
    const { verification_id } = (await ask(person, next.email)).as(Asking);
    expect(await profileOf(person)).toMatchObject({ email: person.email });
    expect((await logInAs(person, next.email)).status).toBe(401);
    const answer = await verify(person, verification_id, await next.mail.nextCode());
    expect(answer.body).toMatchObject({ email: next.email, email_verified: true });
    expect((await person.mail.next()).subject).toBe('Your email address was changed');
    expect((await logInAs(person, next.email)).status).toBe(200);
    expect((await logInAs(person, person.email)).status).toBe(401);
  });

  test('needs a step-up, and that of a stolen session without the mailbox does not come', async () => {
    const person = await customer();
    const answer = await person.call('POST', '/v1/users/me/email', { body: { email: stranger().email } });
    expect([answer.status, answer.as(Code).code]).toEqual([401, 'step_up_required']);
  });

  test('that is taken is answered as a free one: its owner is told, and no code for it exists', async () => {
    const [person, owner] = [await customer(), await registered()];
    const [taken, free] = [await ask(person, owner.email.toUpperCase()), await ask(person, stranger().email)];
    expect(taken.status).toBe(free.status);
    expect(Object.keys(taken.as(Asking))).toEqual(Object.keys(free.as(Asking)));
    expect((await owner.mail.next()).subject).toBe('Somebody wanted to use your contact details');
    // the one for the free address; to the owner of the other nothing went that could be read out to a thief
    const sent = await vault.sql(
      `select 1 from notifications n join users u on u.id = n.user_id where u.email = $1 and n.type_code = 'email_change'`,
      [person.email],
    );
    expect(sent).toHaveLength(1);
    const guess = await verify(person, taken.as(Asking).verification_id, '000000');
    expect(guess.as(Code).code).toBe('invalid_code');
    expect(await profileOf(person)).toMatchObject({ email: person.email });
  });

  test('that two prove at the same moment goes to one of them', async () => {
    const [one, other, next] = [await customer(), await customer(), stranger()];
    const people = [one, other];
    const ids: string[] = [];
    for (const person of people) {
      const { verification_id: id } = (await ask(person, next.email)).as(Asking);
      const mac = vault.cipher.mac('one-time-code', id, '123456');
      await vault.sql('update challenges set code_mac = $2 where id = $1', [id, mac]);
      ids.push(id);
    }
    const answers = await Promise.all(
      people.map((person, index) => verify(person, ids[index] ?? '', '123456')),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const found = await vault.sql('select count(*)::int as n from users where email = $1', [next.email]);
    expect(found).toEqual([{ n: 1 }]);
  });

  test('is proven by the one who asked for it, and by the last wish only', async () => {
    const [person, other, first, second] = [await customer(), await customer(), stranger(), stranger()];
    const { verification_id: early } = (await ask(person, first.email)).as(Asking);
    const { verification_id: late } = (await ask(person, second.email)).as(Asking);
    expect((await verify(person, early, await first.mail.nextCode())).status).toBe(400);
    const code = await second.mail.nextCode();
    expect((await verify(other, late, code)).status).toBe(400);
    expect(await profileOf(other)).toMatchObject({ email: other.email });
    expect(await profileOf(person)).toMatchObject({ email: person.email });
  });

  test('ends what the old mailbox could still finish, and is no fresh proof for another session', async () => {
    const [person, next] = [await customer(), stranger()];
    const elsewhere = await logIn(person);
    const { challenge_id } = (
      await elsewhere.call('POST', '/v1/auth/step-up', { body: { operation: 'openAccount' } })
    ).as(Asked);
    const code = await person.mail.nextCode();
    const { verification_id } = (await ask(person, next.email)).as(Asking);
    await verify(person, verification_id, await next.mail.nextCode());
    const body = { challenge_id, code };
    expect((await elsewhere.call('POST', '/v1/auth/step-up/verify', { body })).status).toBe(400);
    const setup = await elsewhere.call('POST', '/v1/users/me/mfa/totp/setup');
    expect(setup.as(Code).code).toBe('step_up_required');
  });

  test('the present one is no change', async () => {
    const person = await customer();
    expect((await ask(person, person.email)).body).toMatchObject({
      status: 400,
      errors: [{ pointer: '/email', code: 'unchanged' }],
    });
  });

  test('that mail came back from is proven again: mail goes there, nothing is said to have changed, and no other session gains', async () => {
    const person = await customer();
    const elsewhere = await logIn(person);
    const setUp = () => elsewhere.call('POST', '/v1/users/me/mfa/totp/setup');
    await vault.sql(
      `insert into suppressed_addresses (address_hash, delivery_id, reason, created_at)
         select d.address_hash, d.id, 'bounced', now() from notification_deliveries d where d.address_hash = address_hash($1) limit 1`,
      [person.email],
    );
    const { verification_id } = (await ask(person, person.email)).as(Asking);
    const answer = await verify(person, verification_id, await person.mail.nextCode());
    expect(answer.body).toMatchObject({ email: person.email, email_verified: true });
    const kept = await vault.sql(
      `select s.lifted_at is not null as lifted, s.lifted_by, u.email_changed_at = u.created_at as "unchanged"
         from users u join suppressed_addresses s on s.address_hash = address_hash(u.email) where u.email = $1`,
      [person.email],
    );
    expect(kept).toEqual([{ lifted: true, lifted_by: null, unchanged: true }]);
    const told = await vault.sql(
      `select from notifications n join users u on u.id = n.user_id where u.email = $1 and n.type_code = 'email_changed'`,
      [person.email],
    );
    expect(told).toEqual([]);
    const noted = await vault.sql(
      `select a.action from audit_log a join users u on u.id::text = a.subject_id where u.email = $1 and a.action like 'email.%'`,
      [person.email],
    );
    expect(noted).toEqual([{ action: 'email.proven' }]);
    expect((await setUp()).as(Code).code).toBe('step_up_required');
    expect((await ask(person, person.email)).body).toMatchObject({ errors: [{ code: 'unchanged' }] });
  });

  test('stands sealed while it waits', async () => {
    const [person, next] = [await customer(), stranger()];
    await ask(person, next.email);
    const text = JSON.stringify(await vault.sql('select c::text from contact_changes c'));
    expect(text).not.toContain(next.email);
    expect(text).not.toContain(Buffer.from(next.email).toString('hex'));
  });
});

describe('a phone number', () => {
  test('given later is proven, can then be used to log in, and the email address is told', async () => {
    const [person, phone] = [await customer(), newPhone()];
    const { verification_id } = (await askPhone(person, phone.number)).as(Asking);
    expect(await profileOf(person)).toMatchObject({ phone: null });
    const answer = await verify(person, verification_id, await phone.mail.nextCode(), 'phone');
    expect(answer.body).toMatchObject({ phone: phone.number, phone_verified: true });
    expect((await person.mail.next()).subject).toBe('Your phone number was changed');
    expect((await logInAs(person, phone.number)).status).toBe(200);
  });

  test('that changes is told to the old number, where codes no longer go', async () => {
    const [person, old, next] = [await customer(), newPhone(), newPhone()];
    const first = (await askPhone(person, old.number)).as(Asking);
    await verify(person, first.verification_id, await old.mail.nextCode(), 'phone');
    const second = (await askPhone(person, next.number)).as(Asking);
    await verify(person, second.verification_id, await next.mail.nextCode(), 'phone');
    expect((await old.mail.next()).text).toMatch(/phone number of your login was changed/);
    expect((await logInAs(person, old.number)).status).toBe(401);
    expect((await logInAs(person, next.number)).status).toBe(200);
  });

  test('that is somebody else’s is answered as a free one, and its owner is told', async () => {
    const [owner, person, phone] = [await customer(), await customer(), newPhone()];
    const own = (await askPhone(owner, phone.number)).as(Asking);
    await verify(owner, own.verification_id, await phone.mail.nextCode(), 'phone');
    const answer = await askPhone(person, phone.number);
    expect(Object.keys(answer.as(Asking))).toEqual(Object.keys(own));
    expect((await phone.mail.next()).text).toMatch(/wanted to use your number/);
    expect(await profileOf(owner)).toMatchObject({ phone: phone.number });
  });
});
