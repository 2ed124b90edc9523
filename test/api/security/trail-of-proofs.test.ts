/** Proofs that succeed or fail, and logins that move, leave a line in the audit log, and the list hides whose they are. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { openBank, type Bank } from '../../support/bank/bank.ts';
import { apiClient, type Answered } from '../../support/client.ts';
import {
  customer,
  logIn,
  newPhone,
  Registered,
  registration,
  stepUp,
  stranger,
  type Person,
} from '../../support/bank/people.ts';
import { claimsOf, openVault, type Vault } from '../../support/stack/vault.ts';

let vault: Vault;
let bank: Bank;
beforeAll(() => {
  vault = openVault();
  bank = openBank();
});
afterAll(() => Promise.all([vault.close(), bank.close()]));

const idOf = ({ token }: Person): string => String(claimsOf(token)['sub']);
const Opened = z.looseObject({ verification_id: z.uuid() });
const Reset = z.looseObject({ reset_id: z.uuid() });
const linesOf = (person: Person, action: string) =>
  vault.sql('select before, after from audit_log where subject_id = $1 and action = $2 order by id', [
    idOf(person),
    action,
  ]);
const ask = async (person: Person, kind: 'email' | 'phone', value: string): Promise<string> => {
  const token = await stepUp(person, kind === 'email' ? 'changeEmail' : 'changePhone');
  const answer = await person.call('POST', `/v1/users/me/${kind}`, {
    body: { [kind]: value },
    stepUp: token,
  });
  return answer.as(Opened).verification_id;
};
const prove = (person: Person, kind: 'email' | 'phone', verification_id: string, code: string) =>
  person.call('POST', `/v1/users/me/${kind}/verify`, { body: { verification_id, code } });

test('a number that is proven after the address is', async () => {
  const [who, phone] = [stranger(), newPhone()];
  const body = registration(who, { phone: phone.number });
  const opened = (await who.client.call('POST', '/v1/auth/register', { body })).as(Registered);
  const verify = (what: string, verification_id: string | null, code: string): Promise<Answered> =>
    who.client.call('POST', `/v1/auth/${what}/verify`, { body: { verification_id, code } });
  await verify('email', opened.verification_id, await who.mail.nextCode());
  const person = await logIn(who);
  expect(await linesOf(person, 'phone.verified')).toEqual([]);
  await verify('phone', opened.phone_verification_id, await phone.mail.nextCode());
  expect(await linesOf(person, 'phone.verified')).toHaveLength(1);
});

test('a wrong code for a new password is, for nobody too, and names nobody', async () => {
  const [person, unknown] = [await customer(), stranger()];
  const addresses: string[] = [];
  for (const { email } of [person, unknown]) {
    const client = apiClient();
    const { reset_id } = (await client.call('POST', '/v1/auth/password/forgot', { body: { email } })).as(
      Reset,
    );
    const body = { reset_id, code: '00000000', new_password: 'nine loud herons' };
    expect((await client.call('POST', '/v1/auth/password/reset', { body })).status).toBe(400);
    addresses.push(client.address);
  }
  const failed = await vault.sql(
    `select subject_type, actor_id from audit_log where action = 'code.failed' and address = any ($1) order by id`,
    [addresses],
  );
  expect(failed).toEqual([
    { subject_type: 'user', actor_id: null },
    { subject_type: 'identifier', actor_id: null },
  ]);
  expect(await linesOf(person, 'code.failed')).toHaveLength(1);
});

test('a wrong code of a new authenticator is, and one of a new address, also when too many came before', async () => {
  const person = await customer();
  await person.call('POST', '/v1/users/me/mfa/totp/setup');
  await person.call('POST', '/v1/users/me/mfa/totp/confirm', { body: { code: '000000' } });
  expect(await linesOf(person, 'code.failed')).toHaveLength(1);
  const id = await ask(person, 'email', stranger().email);
  await vault.sql(
    // the step-up has made the device known
    `insert into code_guesses (user_id, purpose, place, failures)
     select user_id, 'change_email', place, 10 from code_guesses where user_id = $1 and place like 'device:%'`,
    [idOf(person)],
  );
  expect((await prove(person, 'email', id, '000000')).status).toBe(429);
  expect(await linesOf(person, 'code.failed')).toHaveLength(2);
});

test('another address or number is with what it was before, and the list hides both', async () => {
  const [person, next, phone] = [await customer(), stranger(), newPhone()];
  const number = await ask(person, 'phone', phone.number);
  expect((await prove(person, 'phone', number, await phone.mail.nextCode())).status).toBe(200);
  const address = await ask(person, 'email', next.email);
  expect((await prove(person, 'email', address, await next.mail.nextCode())).status).toBe(200);
  expect(await linesOf(person, 'phone.changed')).toEqual([
    { before: { phone: null }, after: { phone: phone.number } },
  ]);
  expect(await linesOf(person, 'email.changed')).toEqual([
    { before: { email: person.email }, after: { email: next.email } },
  ]);
  const auditor = await bank.admin('audit:read');
  const listed = await auditor.client.call('GET', '/v1/admin/audit-log', {
    token: auditor.token,
    query: { resource_id: idOf(person), action: 'email.changed' },
  });
  expect(listed.body).toMatchObject({ items: [{ before: { email: '•••' }, after: { email: '•••' } }] });
});
