/** What happened to a login can be read afterwards, and holds no secret; admins' sessions are short. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { admin, Asked, customer, logIn, stepUp, withTotp, type Person } from '../../support/bank/people.ts';
import { claimsOf, openVault, type Vault } from '../../support/stack/vault.ts';
import { SOON_MS } from '../../support/stack/processes.ts';

let vault: Vault;
beforeAll(() => {
  vault = openVault();
});
afterAll(() => vault.close());

const eventsOf = async ({ token }: Person): Promise<string[]> => {
  const found = await vault.sql('select action from audit_log where subject_id = $1 order by id', [
    claimsOf(token)['sub'],
  ]);
  return found.map(({ action }) => String(action));
};

test('every security event of a user is a row, in order, with its address and request', async () => {
  const person = await customer();
  const login = (password: string) =>
    person.client.call('POST', '/v1/auth/login', { body: { identifier: person.email, password } });
  await login('a wrong password');
  await stepUp(person, 'openAccount');
  const app = await withTotp(person);
  const { challenge_id } = (await login(person.password)).as(Asked);
  await person.client.call('POST', '/v1/auth/login/mfa', { body: { challenge_id, code: '000000' } });
  const body = { challenge_id, code: app.recoveryCodes[0], method: 'recovery_code' };
  await person.client.call('POST', '/v1/auth/login/mfa', { body });
  await person.call('PATCH', '/v1/users/me', { body: { first_name: 'Irena' } });
  await person.call('PATCH', '/v1/users/me/mfa', { body: { email_otp_enabled: true } });
  await person.call('DELETE', '/v1/users/me/mfa/totp', { body: { code: app.recoveryCodes[1] } });
  await person.call('POST', '/v1/auth/logout', { body: { refresh_token: person.refreshToken } });

  expect(await eventsOf(person)).toEqual([
    'user.registered',
    'session.started',
    'login.failed',
    'step_up.asked',
    'step_up.verified',
    'totp.begun',
    'totp.enabled',
    'login.challenged',
    'code.failed',
    'session.started',
    'profile.changed',
    'mfa.changed',
    'totp.removed',
    'session.ended',
  ]);
  const rows = await vault.sql('select * from audit_log where subject_id = $1', [
    claimsOf(person.token)['sub'],
  ]);
  const text = JSON.stringify(rows);
  expect(
    rows.every(({ address, request_id }) => address === person.client.address && request_id !== null),
  ).toBe(true);
  const secrets = [person.password, person.email, person.token, person.refreshToken, app.secret, 'Irena'];
  for (const secret of [...secrets, ...app.recoveryCodes]) expect(text).not.toContain(secret);
});

test('a try at an unknown address leaves a row that does not name it', async () => {
  const person = await customer();
  const unknown = `nobody-${person.email}`;
  const body = { identifier: unknown, password: 'a wrong password' };
  await person.client.call('POST', '/v1/auth/login', { body });
  const rows = await vault.sql(`select * from audit_log where action = 'login.failed' and address = $1`, [
    person.client.address,
  ]);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ actor_id: null, subject_type: 'identifier' });
  expect(JSON.stringify(rows)).not.toContain(person.email);
});

test('an admin made by command logs in with a code, for twelve hours at most and fifteen idle minutes', async () => {
  const person = await admin(['transfers:review']);
  expect(claimsOf(person.token)['amr']).toEqual(['pwd', 'email']);
  const [session] = await vault.sql(
    `select s.expires_at - s.created_at = interval '12 hours' as absolute, t.expires_at - t.created_at = interval '15 minutes' as idle
     from sessions s join refresh_tokens t on t.session_id = s.id where s.id = $1`,
    [claimsOf(person.token)['sid']],
  );
  expect(session).toEqual({ absolute: true, idle: true });
});

test('a customer’s session lasts ninety days at most and thirty idle ones', async () => {
  const person = await customer();
  const [session] = await vault.sql(
    `select s.expires_at - s.created_at = interval '90 days' as absolute, t.expires_at - t.created_at = interval '30 days' as idle
     from sessions s join refresh_tokens t on t.session_id = s.id where s.id = $1`,
    [claimsOf(person.token)['sid']],
  );
  expect(session).toEqual({ absolute: true, idle: true });
});

test('a permission that is taken away is gone at the next call', async () => {
  const person = await admin(['transfers:read', 'transfers:review']);
  const statusOf = async (): Promise<number> =>
    (await person.call('GET', '/v1/admin/transfers/pending')).status;
  expect(await statusOf()).not.toBe(403);
  await vault.sql('delete from user_permissions where user_id = $1', [claimsOf(person.token)['sub']]);
  const deadline = performance.now() + SOON_MS;
  while ((await statusOf()) !== 403 && performance.now() < deadline);
  expect(await statusOf()).toBe(403);
});

test('tokens carry what RFC 9068 and the session need, and nothing about the person', async () => {
  const person = await logIn(await customer());
  const claims = claimsOf(person.token);
  const names = ['amr', 'aud', 'auth_time', 'exp', 'iat', 'iss', 'jti', 'sid', 'sub'];
  expect(Object.keys(claims).sort()).toEqual(names);
  const { iat, exp } = z.looseObject({ iat: z.int(), exp: z.int() }).parse(claims);
  expect(exp - iat).toBe(600);
});
