/** An administrator whose session has not proven a second factor can do nothing but set one up. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { operations } from '../../../api/operations.ts';
import { refusalsOf } from '../../../api/pipeline/refusals-of.ts';
import { openBank, type Bank } from '../../support/bank/bank.ts';
import { callMadeUp } from '../../support/declared/operations.ts';
import { admin, customer, logIn, withTotp, type Person } from '../../support/bank/people.ts';
import { claimsOf, openVault, type Vault } from '../../support/stack/vault.ts';

let vault: Vault;
let bank: Bank;
beforeAll(() => {
  vault = openVault();
  bank = openBank();
});
afterAll(() => Promise.all([vault.close(), bank.close()]));

const PERMISSION = 'transfers:read';
const QUEUE = '/v1/admin/transfers/pending';
const Code = z.looseObject({ code: z.string() });
const codeOf = async (person: Person, path = QUEUE): Promise<string | number> => {
  const answer = await person.call('GET', path);
  return answer.status === 200 ? 200 : answer.as(Code).code;
};

test('with the password alone every operation but those of one’s own login is refused', async () => {
  const all = operations.flatMap(({ access }) =>
    access.auth === 'admin' && access.permission !== null ? [access.permission] : [],
  );
  const person = await admin([...new Set(all)], false);
  const others = operations.filter((operation) => refusalsOf(operation).has('second_factor_required'));
  expect(others.length).toBeGreaterThan(50);
  const codes = new Map<string, unknown>();
  const caller = { ...(await bank.admin()), token: person.token };
  for (const operation of others) {
    expect(operation.area).not.toBe('Identity');
    const answer = await callMadeUp(operation, caller, { stepUp: undefined });
    codes.set(operation.id, Code.parse(answer.body).code);
  }
  expect(new Set(codes.values())).toEqual(new Set(['second_factor_required']));
  expect(await codeOf(person, '/v1/users/me')).toBe(200);
  expect(await codeOf(person, '/v1/users/me/mfa')).toBe(200);
});

test('setting up an authenticator opens the session that did it, and no other one', async () => {
  const person = await admin([PERMISSION], false);
  const elsewhere = await logIn(person);
  expect(await codeOf(person)).toBe('second_factor_required');
  await withTotp(person);
  expect([await codeOf(person), await codeOf(elsewhere)]).toEqual([200, 'second_factor_required']);
  // also in the tokens that follow
  const refreshed = await person.client.call('POST', '/v1/auth/refresh', {
    body: { refresh_token: person.refreshToken },
  });
  const { access_token: token } = refreshed.as(z.looseObject({ access_token: z.string() }));
  expect(claimsOf(token)['amr']).toEqual(['pwd', 'otp']);
  expect((await person.call('GET', QUEUE, { token })).status).toBe(200);
});

test('a step-up by email is no second factor', async () => {
  const person = await admin([PERMISSION], false);
  const asked = await person.call('POST', '/v1/auth/step-up', { body: { operation: 'beginTotpSetup' } });
  const { challenge_id } = asked.as(z.looseObject({ challenge_id: z.string() }));
  const body = { challenge_id, code: await person.mail.nextCode() };
  expect((await person.call('POST', '/v1/auth/step-up/verify', { body })).status).toBe(200);
  expect(await codeOf(person)).toBe('second_factor_required');
});

test('customers need none', async () => {
  const person = await customer();
  expect(await codeOf(person, '/v1/accounts')).toBe(200);
});

test('messages are in the language of their reader', async () => {
  const person = await customer({ locale: 'de-AT' });
  await person.call('POST', '/v1/auth/step-up', { body: { operation: 'openAccount' } });
  expect((await person.mail.next()).subject).toBe('Ihr Code zur Bestätigung');
  await person.call('PATCH', '/v1/users/me', { body: { locale: 'en-GB' } });
  await person.client.call('POST', '/v1/auth/password/forgot', { body: { email: person.email } });
  expect((await person.mail.next()).subject).toBe('Your code for a new password');
  const sent = await vault.sql(
    'select n.locale from notifications n join users u on u.id = n.user_id where u.email = $1',
    [person.email],
  );
  expect(new Set(sent.map(({ locale }) => String(locale)))).toEqual(new Set(['de-AT', 'en-GB']));
});
